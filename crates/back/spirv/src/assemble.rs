//! Words: instructions, the sections of a module, ids, and what is there only once (types and constants).
//!
//! An assembler of our own on top of the `spirv` crate's enums rather than `rspirv`'s builder: what a module needs is to
//! append words to the section they belong to, and that is these lines; `rspirv` would keep every instruction as a tree of
//! boxed operands first, and brings a disassembler and a parser along.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use planish_ir::spirv::SpirvNeeds;
use rustc_hash::FxHashMap;
use spirv::{Capability, Decoration, Op, Word};

/// A result id.
pub(crate) type Id = Word;

/// A row of instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words(pub(crate) Vec<Word>);

/// More words than an instruction can have, or more ids than a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

impl Words {
    /// Appends an instruction.
    pub(crate) fn op(&mut self, op: Op, operands: &[Word]) {
        self.0.push(first_word(op, operands.len() + 1));
        self.0.extend_from_slice(operands);
    }

    /// Appends an instruction with a text between two lists of operands.
    pub(crate) fn op_with_text(&mut self, op: Op, before: &[Word], text: &str, after: &[Word]) {
        let text = text_words(text);
        self.0.push(first_word(op, 1 + before.len() + text.len() + after.len()));
        self.0.extend_from_slice(before);
        self.0.extend(text);
        self.0.extend_from_slice(after);
    }
}

/// Words of one instruction at most, its first one included.
const MOST_WORDS: usize = 0xffff;

fn first_word(op: Op, count: usize) -> Word {
    // Instructions that may be long are checked with [`Sections::fits`] by their callers.
    debug_assert!(count <= MOST_WORDS, "{op:?} has {count} words");
    (count.min(MOST_WORDS) as u32) << 16 | op as u32
}

/// A text as words: UTF-8, little endian, ended by a zero byte. A text longer than an instruction is truncated.
fn text_words(text: &str) -> Vec<Word> {
    let mut end = text.len().min(4 * 60_000);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let bytes = text[..end].split('\0').next().unwrap_or_default().as_bytes();
    let mut words = vec![0; bytes.len() / 4 + 1];
    for (i, &byte) in bytes.iter().enumerate() {
        words[i / 4] |= u32::from(byte) << (8 * (i % 4));
    }
    words
}

/// The sections of a module, in the order in which they are written.
#[derive(Debug)]
pub(crate) struct Sections {
    next: Id,
    capabilities: BTreeSet<u32>,
    extensions: BTreeSet<Cow<'static, str>>,
    /// Sets of extended instructions.
    sets: Vec<(Arc<str>, Id)>,
    pub(crate) entry_points: Words,
    pub(crate) modes: Words,
    pub(crate) strings: Words,
    pub(crate) names: Words,
    pub(crate) decorations: Words,
    /// Types, constants and variables of the module.
    pub(crate) globals: Words,
    pub(crate) functions: Words,
    interned: FxHashMap<Vec<Word>, Id>,
    decorated: BTreeSet<(Id, u32)>,
    /// Whether functions use addresses of buffers.
    pub(crate) has_addresses: bool,
    pub(crate) has_vulkan_memory_model: bool,
    with_names: bool,
}

impl Sections {
    pub(crate) fn new(with_names: bool) -> Self {
        Sections {
            next: 1,
            capabilities: BTreeSet::new(),
            extensions: BTreeSet::new(),
            sets: vec![],
            entry_points: Words::default(),
            modes: Words::default(),
            strings: Words::default(),
            names: Words::default(),
            decorations: Words::default(),
            globals: Words::default(),
            functions: Words::default(),
            interned: FxHashMap::default(),
            decorated: BTreeSet::new(),
            has_addresses: false,
            has_vulkan_memory_model: false,
            with_names,
        }
    }

    /// A new id.
    pub(crate) fn id(&mut self) -> Id {
        self.next += 1;
        self.next - 1
    }

    /// Whether an instruction may have `operands` operands.
    pub(crate) fn fits(operands: usize) -> Result<(), TooLong> {
        if operands < MOST_WORDS { Ok(()) } else { Err(TooLong) }
    }

    /// Notes that the module needs a capability.
    pub(crate) fn need(&mut self, capability: Capability) {
        self.capabilities.insert(capability as u32);
    }

    /// Whether the module needs a capability.
    pub(crate) fn needs(&self, capability: Capability) -> bool {
        self.capabilities.contains(&(capability as u32))
    }

    /// Notes that the module needs an extension.
    pub(crate) fn need_extension(&mut self, name: impl Into<Cow<'static, str>>) {
        self.extensions.insert(name.into());
    }

    /// Notes what a binary declares.
    pub(crate) fn need_all(&mut self, needs: &SpirvNeeds) {
        self.capabilities.extend(&needs.capabilities);
        self.extensions.extend(needs.extensions.iter().map(|name| Cow::Owned(name.to_string())));
        self.has_vulkan_memory_model = needs.vulkan_memory_model;
    }

    /// The instruction set `GLSL.std.450`.
    pub(crate) fn glsl(&mut self) -> Id {
        self.set("GLSL.std.450")
    }

    /// A set of extended instructions.
    pub(crate) fn set(&mut self, name: &str) -> Id {
        if let Some((_, id)) = self.sets.iter().find(|(known, _)| **known == *name) {
            return *id;
        }
        let id = self.id();
        self.sets.push((name.into(), id));
        id
    }

    /// A type that is made of `op` and operands only; made when first asked for.
    pub(crate) fn plain_type(&mut self, op: Op, operands: &[Word]) -> Id {
        let mut key = vec![op as u32];
        key.extend_from_slice(operands);
        if let Some(&id) = self.interned.get(&key) {
            return id;
        }
        let id = self.new_type(op, operands);
        self.interned.insert(key, id);
        id
    }

    /// A type of its own, for types with decorations.
    pub(crate) fn new_type(&mut self, op: Op, operands: &[Word]) -> Id {
        let id = self.id();
        let mut all = vec![id];
        all.extend_from_slice(operands);
        self.globals.op(op, &all);
        id
    }

    /// A constant; made when first asked for.
    pub(crate) fn constant(&mut self, op: Op, ty: Id, operands: &[Word]) -> Id {
        let mut key = vec![op as u32, ty];
        key.extend_from_slice(operands);
        if let Some(&id) = self.interned.get(&key) {
            return id;
        }
        let id = self.id();
        let mut all = vec![ty, id];
        all.extend_from_slice(operands);
        self.globals.op(op, &all);
        self.interned.insert(key, id);
        id
    }

    /// The type of pointers.
    pub(crate) fn pointer(&mut self, class: spirv::StorageClass, pointee: Id) -> Id {
        self.plain_type(Op::TypePointer, &[class as u32, pointee])
    }

    /// A variable of the module.
    pub(crate) fn variable(&mut self, class: spirv::StorageClass, ty: Id, initializer: Option<Id>) -> Id {
        let pointer = self.pointer(class, ty);
        let id = self.id();
        let operands = [pointer, id, class as u32, initializer.unwrap_or(0)];
        self.globals.op(Op::Variable, &operands[..if initializer.is_some() { 4 } else { 3 }]);
        id
    }

    /// Names an id, if names are wanted and there is one.
    pub(crate) fn name(&mut self, id: Id, name: &str) {
        if self.with_names && !name.is_empty() {
            self.names.op_with_text(Op::Name, &[id], name, &[]);
        }
    }

    /// Names a member of a struct.
    pub(crate) fn name_member(&mut self, id: Id, member: u32, name: &str) {
        if self.with_names && !name.is_empty() {
            self.names.op_with_text(Op::MemberName, &[id, member], name, &[]);
        }
    }

    /// Decorates an id; the same decoration twice is one.
    pub(crate) fn decorate(&mut self, id: Id, decoration: Decoration, operands: &[Word]) {
        if !self.decorated.insert((id, decoration as u32)) {
            return;
        }
        let mut all = vec![id, decoration as u32];
        all.extend_from_slice(operands);
        self.decorations.op(Op::Decorate, &all);
    }

    /// Decorates a member of a struct.
    pub(crate) fn decorate_member(&mut self, id: Id, member: u32, decoration: Decoration, operands: &[Word]) {
        let mut all = vec![id, member, decoration as u32];
        all.extend_from_slice(operands);
        self.decorations.op(Op::MemberDecorate, &all);
    }

    /// The whole module.
    pub(crate) fn finish(self, version: (u8, u8)) -> Vec<Word> {
        let mut words = Words(vec![
            spirv::MAGIC_NUMBER,
            u32::from(version.0) << 16 | u32::from(version.1) << 8,
            GENERATOR,
            self.next,
            0,
        ]);
        for &capability in &self.capabilities {
            words.op(Op::Capability, &[capability]);
        }
        for name in self.extensions {
            words.op_with_text(Op::Extension, &[], &name, &[]);
        }
        for (name, id) in self.sets {
            words.op_with_text(Op::ExtInstImport, &[id], &name, &[]);
        }
        let addressing = match self.has_addresses {
            true => spirv::AddressingModel::PhysicalStorageBuffer64,
            false => spirv::AddressingModel::Logical,
        };
        let memory = match self.has_vulkan_memory_model {
            true => spirv::MemoryModel::Vulkan,
            false => spirv::MemoryModel::GLSL450,
        };
        let model = [addressing as u32, memory as u32];
        words.op(Op::MemoryModel, &model);
        for section in
            [self.entry_points, self.modes, self.strings, self.names, self.decorations, self.globals, self.functions]
        {
            words.0.extend(section.0);
        }
        words.0
    }
}

/// The generator's number in the header. No number is registered for us; 0 is for those.
const GENERATOR: Word = 0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_with_a_zero() {
        assert_eq!(text_words(""), [0]);
        assert_eq!(text_words("abcd"), [u32::from_le_bytes(*b"abcd"), 0]);
        assert_eq!(text_words("ab\0cd"), [u32::from_le_bytes(*b"ab\0\0")]);
    }

    #[test]
    fn equal_types_and_constants_are_made_once() {
        let mut s = Sections::new(false);
        let a = s.plain_type(Op::TypeInt, &[32, 0]);
        assert_eq!(s.plain_type(Op::TypeInt, &[32, 0]), a);
        let c = s.constant(Op::Constant, a, &[7]);
        assert_eq!(s.constant(Op::Constant, a, &[7]), c);
        assert_ne!(s.constant(Op::Constant, a, &[8]), c);
        assert_ne!(s.new_type(Op::TypeInt, &[32, 0]), a);
    }

    #[test]
    fn the_header_holds_version_and_bound() {
        let mut s = Sections::new(false);
        s.need(Capability::Shader);
        let id = s.id();
        let words = s.finish((1, 3));
        assert_eq!(words[..5], [spirv::MAGIC_NUMBER, 0x0001_0300, 0, id + 1, 0]);
        assert_eq!(words[5], 2 << 16 | Op::Capability as u32);
    }
}
