//! The words of an instance: its memories, tables and variables at fixed distances from its first byte.
//!
//! ```text
//!  0  user            the embedder's own
//!  8  stack_limit     calls do not begin below this address; 0: anywhere
//! 16  memories        32 bytes each (data, size, capacity, most pages), or the address of an imported one
//!     tables          32 bytes each (items, length, capacity, most items)
//!     segments        length of each, 0 once it is dropped
//!     token           the last one
//!     variables       8 bytes a word
//! ```

use planish_ir::arena::{Id, SideTable};
use planish_ir::constant::ConstValue;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Var};
use planish_ir::meaning::Shape;
use planish_ir::module::{MemoryData, Module};
use planish_ir::ops::Op;
use planish_ir::types::AddressSpace;

/// Offset of the embedder's pointer.
pub const USER: u32 = 0;
/// Offset of the limit of the stack.
pub const STACK_LIMIT: u32 = 8;
/// Offset of the first word that the image of an instance has.
pub const FIRST: u32 = 16;

/// A memory of an instance.
#[derive(Clone, Copy, Debug)]
pub struct MemoryPlace {
    /// Bytes before it in the instance.
    pub offset: u32,
    /// Whether the instance has its address only.
    pub is_imported: bool,
}

/// Offsets of the parts of an instance.
#[derive(Debug, Default)]
pub struct Layout {
    /// Variables in it, in order.
    pub vars: Vec<Var>,
    /// By variable: its first word.
    pub offsets: SideTable<Var, u32>,
    /// By memory.
    pub memories: Vec<MemoryPlace>,
    /// By table.
    pub tables: Vec<u32>,
    /// By data segment: its length.
    pub segments: Vec<u32>,
    /// By element segment: its length.
    pub elements: Vec<u32>,
    /// The last token.
    pub token: u32,
    /// Bytes of an instance; at most [`FIRST`] if the module has no state.
    pub size: u32,
    /// Words of a new instance from [`FIRST`] on, without zeros at the end.
    pub image: Vec<u64>,
}

/// Maximum number of bytes of an instance.
const MAX_SIZE: u64 = 1 << 30;

impl Layout {
    /// For the variables of a module that its functions or its embedder use.
    ///
    /// # Errors
    /// E0604 if a variable has no fixed size, or all are too large.
    pub fn new(module: &Module) -> Result<Self, Box<Diagnostic>> {
        let (is_used, makes_tokens) = uses(module);
        let mut layout = Layout { size: FIRST, ..Layout::default() };
        let mut image: Vec<(u32, u64)> = Vec::new();
        for memory in module.memories.values() {
            let is_imported = memory.import.is_some();
            layout.memories.push(MemoryPlace { offset: layout.size, is_imported });
            let most = memory.max_pages.unwrap_or(MemoryData::MAX_PAGES);
            image.push((layout.size + 24, most.into()));
            layout.size += if is_imported { 8 } else { 32 };
            if is_imported {
                image.pop();
            }
        }
        for table in module.tables.values() {
            layout.tables.push(layout.size);
            image.push((layout.size + 24, table.max.unwrap_or(u32::MAX).into()));
            layout.size += 32;
        }
        for segment in module.data.values() {
            layout.segments.push(layout.size);
            image.push((layout.size, if segment.active.is_none() { segment.bytes.len() as u64 } else { 0 }));
            layout.size += 8;
        }
        for segment in module.elems.values() {
            layout.elements.push(layout.size);
            image.push((layout.size, if segment.active.is_none() { segment.items.len() as u64 } else { 0 }));
            layout.size += 8;
        }
        layout.token = layout.size;
        layout.size += if makes_tokens { 8 } else { 0 };
        for &var in &module.globals {
            let data = &module.vars[var];
            if !is_used[var] || matches!(data.space, AddressSpace::Handle | AddressSpace::Function) {
                continue;
            }
            let refuse = |what: &str| {
                let text = format!("the variable `{}` {what}", data.name.text);
                Box::new(Diagnostic::error(Code::E0604, data.span, text))
            };
            let components = module.types.components(data.ty);
            let words = components.ok_or_else(|| refuse("has a size that only the host knows"))?;
            let end = u64::from(layout.size) + 8 * words as u64;
            if end > MAX_SIZE {
                return Err(refuse("is one too many: all take 1 GiB at most"));
            }
            layout.vars.push(var);
            layout.offsets[var] = layout.size;
            if let Some(c) = data.initializer {
                let mut first = Vec::new();
                constant_words(module, c, &mut first);
                image.extend(first.into_iter().zip(0..).map(|(word, i)| (layout.size + 8 * i, word)));
            }
            layout.size = end as u32;
        }
        for (at, word) in image.into_iter().filter(|&(_, word)| word != 0) {
            let at = (at - FIRST) as usize / 8;
            layout.image.resize(layout.image.len().max(at + 1), 0);
            layout.image[at] = word;
        }
        Ok(layout)
    }

    /// Whether an instance has nothing but so many memories.
    pub fn has_only_memories(&self, count: usize) -> bool {
        self.memories.len() == count && self.size == FIRST + 32 * count as u32
    }

    /// Whether an instance has anything.
    pub fn has_state(&self) -> bool {
        self.size > FIRST
    }
}

/// The variables that functions or the embedder use, and whether functions make tokens.
fn uses(module: &Module) -> (SideTable<Var, bool>, bool) {
    let mut is_used = SideTable::new();
    let mut makes_tokens = false;
    for body in module.funcs.values().filter_map(|function| function.body.as_ref()) {
        for (node, data) in body.nodes() {
            makes_tokens |= data.op == Op::NewToken;
            body.args(node).iter().filter_map(|arg| arg.as_var()).for_each(|var| is_used[var] = true);
        }
    }
    module.outside_vars().for_each(|var| is_used[var] = true);
    (is_used, makes_tokens)
}

fn constant_words(module: &Module, c: Const, words: &mut Vec<u64>) {
    let mut stack = vec![c];
    while let Some(c) = stack.pop() {
        match &module.consts[c].value {
            ConstValue::Bits(bits) => words.push(*bits),
            ConstValue::Wide(bits) => words.extend([*bits as u64, (*bits >> 64) as u64]),
            ConstValue::Composite(parts) => stack.extend(parts.iter().rev()),
            ConstValue::Null => words.push(0),
        }
    }
}

/// The row of an arena.
pub fn at<T: Copy>(list: &[T], id: impl Id) -> T {
    list[id.index()]
}
