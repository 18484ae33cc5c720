//! The binary as instructions, with what precedes its declarations: names, decorations, entry points, debug information.

use planish_ir::diagnostic::Diagnostic;
use planish_ir::source::{SourceFile, Span};
use planish_ir::spirv::SpirvNeeds;
use rustc_hash::FxHashMap;
use spirv::{AddressingModel, Decoration, MemoryModel, Op};

use crate::grammar;
use crate::report::{self, Res, invalid};

/// The first word of a binary.
pub(crate) const MAGIC: u32 = 0x0723_0203;

/// Words before the first instruction.
const HEADER: usize = 5;

/// The largest bound of ids that the specification requires.
const LARGEST_BOUND: u32 = 0x3f_ffff;

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inst<'w> {
    pub(crate) op: Op,
    /// Number of its first word in the binary.
    pub(crate) at: usize,
    /// Id of the result type, or 0.
    pub(crate) ty: u32,
    /// Id of the result, or 0.
    pub(crate) result: u32,
    /// The words after those.
    pub(crate) operands: &'w [u32],
    /// Place of the binary file.
    start: u32,
}

impl<'w> Inst<'w> {
    /// Bytes of the instruction in the file.
    pub(crate) fn span(&self) -> Span {
        let start = self.start + 4 * self.at as u32;
        let ids = u32::from(self.ty != 0) + u32::from(self.result != 0);
        Span::new(start, start + 4 * (1 + ids + self.operands.len() as u32))
    }

    /// An operand.
    pub(crate) fn word(&self, index: usize) -> Res<u32> {
        match self.operands.get(index) {
            Some(&word) => Ok(word),
            None => self.invalid("operands are missing"),
        }
    }

    /// The operands from one on.
    pub(crate) fn rest(&self, from: usize) -> &'w [u32] {
        self.operands.get(from..).unwrap_or(&[])
    }

    /// The same place with another instruction: the operation of an `OpSpecConstantOp`.
    pub(crate) fn inner(&self, op: Op) -> Inst<'w> {
        Inst { op, operands: self.rest(1), ..*self }
    }

    /// The instruction with another operation on the same operands.
    pub(crate) fn with_op(&self, op: Op) -> Inst<'w> {
        Inst { op, ..*self }
    }

    pub(crate) fn invalid<T>(&self, cause: &str) -> Res<T> {
        invalid(self.span(), self.op, self.at, cause)
    }

    pub(crate) fn unsupported<T>(&self, what: &str) -> Res<T> {
        report::unsupported(self.span(), self.op, self.at, what)
    }
}

/// A text among the operands, and the number of words that it takes.
pub(crate) fn text(words: &[u32]) -> (String, usize) {
    let mut bytes = Vec::new();
    for (i, word) in words.iter().enumerate() {
        for byte in word.to_le_bytes() {
            if byte == 0 {
                return (String::from_utf8_lossy(&bytes).into_owned(), i + 1);
            }
            bytes.push(byte);
        }
    }
    (String::from_utf8_lossy(&bytes).into_owned(), words.len())
}

/// A decoration with its operands.
pub(crate) type Decorated = (Decoration, Vec<u32>);

/// An `OpFunction` to its `OpFunctionEnd`, as a range of instructions.
#[derive(Clone, Debug)]
pub(crate) struct FunctionRange {
    pub(crate) id: u32,
    pub(crate) range: std::ops::Range<usize>,
}

/// A set of extended instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExtSet {
    /// `GLSL.std.450`
    Glsl,
    /// `NonSemantic.Shader.DebugInfo.100`
    Debug,
    /// Another `NonSemantic.…`, or debug information: may be left out.
    NonSemantic,
    /// Another.
    Other,
}

/// The instructions of a binary by their purpose.
pub(crate) struct Binary<'w> {
    pub(crate) insts: Vec<Inst<'w>>,
    /// One more than the largest id.
    pub(crate) bound: u32,
    names: FxHashMap<u32, String>,
    member_names: FxHashMap<(u32, u32), String>,
    decorations: FxHashMap<u32, Vec<Decorated>>,
    member_decorations: FxHashMap<(u32, u32), Vec<Decorated>>,
    pub(crate) strings: FxHashMap<u32, String>,
    pub(crate) sets: FxHashMap<u32, ExtSet>,
    /// By id, 1 + the index of the instruction that defines it; 0 for none.
    defs: Vec<u32>,
    pub(crate) functions: Vec<FunctionRange>,
    /// Names of the sets of extended instructions.
    pub(crate) set_names: FxHashMap<u32, String>,
    /// Minor version, capabilities, extensions and memory model.
    pub(crate) needs: SpirvNeeds,
    /// Indices of `OpEntryPoint` and of `OpExecutionMode`.
    pub(crate) entry_points: Vec<usize>,
    pub(crate) modes: Vec<usize>,
    /// Indices of types, constants and variables of module scope.
    pub(crate) declarations: Vec<usize>,
}

impl<'w> Binary<'w> {
    /// The instruction that defines an id.
    pub(crate) fn def(&self, id: u32) -> Option<&Inst<'w>> {
        let index = *self.defs.get(id as usize)?;
        index.checked_sub(1).map(|index| &self.insts[index as usize])
    }

    pub(crate) fn name(&self, id: u32) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    pub(crate) fn member_name(&self, id: u32, member: u32) -> String {
        match self.member_names.get(&(id, member)).map(String::as_str) {
            None | Some("") => format!("member_{member}"),
            Some(name) => name.to_owned(),
        }
    }

    pub(crate) fn decorations(&self, id: u32) -> &[Decorated] {
        self.decorations.get(&id).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn member_decorations(&self, id: u32, member: u32) -> &[Decorated] {
        self.member_decorations.get(&(id, member)).map_or(&[], Vec::as_slice)
    }

    /// Bytes of a vertex in each buffer that outputs are captured in.
    pub(crate) fn xfb_strides(&self) -> [Option<u32>; 4] {
        let mut strides = [None; 4];
        for list in self.decorations.values().chain(self.member_decorations.values()) {
            let buffer = find(list, Decoration::XfbBuffer);
            let place = buffer.and_then(|buffer| strides.get_mut(buffer as usize));
            if let (Some(place), Some(stride)) = (place, find(list, Decoration::XfbStride)) {
                *place = Some(stride);
            }
        }
        strides
    }

    pub(crate) fn has(&self, id: u32, decoration: Decoration) -> bool {
        self.decorations(id).iter().any(|d| d.0 == decoration)
    }

    /// Whether the binary has values of a type, or of one with it. Recursion: over types that contain others, which follow them.
    pub(crate) fn is_value_type(&self, id: u32) -> bool {
        self.insts.iter().any(|i| match i.op {
            Op::TypeArray | Op::TypeStruct if i.operands.contains(&id) => self.is_value_type(i.result),
            op => i.ty == id || op == Op::CopyMemory,
        })
    }

    /// The number of an instruction of debug information.
    pub(crate) fn debug_number(&self, inst: &Inst<'_>) -> Option<u32> {
        let is_debug = inst.op == Op::ExtInst && self.sets.get(inst.operands.first()?) == Some(&ExtSet::Debug);
        inst.operands.get(1).copied().filter(|_| is_debug)
    }

    /// Whether an instruction is of debug information or of another set without a meaning.
    pub(crate) fn is_non_semantic(&self, inst: &Inst<'_>) -> bool {
        let set = inst.operands.first().and_then(|set| self.sets.get(set));
        inst.op == Op::ExtInst && matches!(set, Some(ExtSet::Debug | ExtSet::NonSemantic))
    }

    /// Whether code only loads from a variable.
    pub(crate) fn is_only_loaded(&self, id: u32) -> bool {
        let insts = self.functions.iter().flat_map(|f| &self.insts[f.range.clone()]);
        insts.filter(|i| i.operands.contains(&id)).all(|i| i.op == Op::Load)
    }

    /// The first operand of a decoration.
    pub(crate) fn decoration(&self, id: u32, decoration: Decoration) -> Option<u32> {
        find(self.decorations(id), decoration)
    }
}

/// The first operand of a decoration in a list.
pub(crate) fn find(list: &[Decorated], decoration: Decoration) -> Option<u32> {
    list.iter().find(|d| d.0 == decoration).and_then(|d| d.1.first().copied())
}

/// Splits the binary.
pub(crate) fn parse<'w>(file: &SourceFile, words: &'w [u32]) -> Result<Binary<'w>, Vec<Diagnostic>> {
    let whole = |message: &str| vec![report::malformed(file.span(), message)];
    if words.first() != Some(&MAGIC) {
        return Err(whole("the binary does not begin with the magic number of SPIR-V"));
    }
    let Some(&[_, version, _, bound, _]) = words.first_chunk::<HEADER>() else {
        return Err(whole("the binary ends within its header"));
    };
    if version & 0xff00_00ff != 0 || version >> 16 != 1 {
        return Err(whole("the version of the binary is not one of SPIR-V 1.0 to 1.6"));
    }
    if bound > LARGEST_BOUND {
        return Err(whole("the binary has more ids than the 4,194,303 that the specification requires"));
    }
    let mut binary = Binary {
        insts: Vec::with_capacity(words.len() / 4),
        bound,
        names: FxHashMap::default(),
        member_names: FxHashMap::default(),
        decorations: FxHashMap::default(),
        member_decorations: FxHashMap::default(),
        strings: FxHashMap::default(),
        sets: FxHashMap::default(),
        set_names: FxHashMap::default(),
        needs: SpirvNeeds { minor_version: (version >> 8) as u8, ..SpirvNeeds::default() },
        defs: vec![0; bound as usize],
        functions: vec![],
        entry_points: vec![],
        modes: vec![],
        declarations: vec![],
    };
    let mut errors = vec![];
    let mut at = HEADER;
    while at < words.len() {
        let (length, code) = ((words[at] >> 16) as usize, words[at] & 0xffff);
        let place = Span::new(file.start + 4 * at as u32, file.start + 4 * at as u32 + 4);
        if length == 0 || at + length > words.len() {
            errors.push(report::malformed(place, &format!("the instruction at word {at} is cut off")));
            break;
        }
        match Op::from_u32(code) {
            Some(op) => match split(op, &words[at + 1..at + length], at, file.start) {
                Ok(inst) => binary.insts.push(inst),
                Err(error) => errors.push(*error),
            },
            None => errors.push(report::malformed(place, &format!("the instruction {code} at word {at} is unknown"))),
        }
        at += length;
        if errors.len() >= report_limit() {
            break;
        }
    }
    if errors.is_empty() {
        collect(&mut binary, &mut errors);
    }
    if errors.is_empty() { Ok(binary) } else { Err(errors) }
}

/// Errors of one run at most.
const fn report_limit() -> usize {
    20
}

fn split(op: Op, words: &[u32], at: usize, start: u32) -> Res<Inst<'_>> {
    let mut inst = Inst { op, at, ty: 0, result: 0, operands: words, start };
    let (has_type, has_result) = grammar::results(op);
    let ids = usize::from(has_type) + usize::from(has_result);
    if words.len() < ids {
        return inst.invalid("operands are missing");
    }
    if has_type {
        inst.ty = words[0];
    }
    if has_result {
        inst.result = words[ids - 1];
    }
    if has_type && inst.ty == 0 || has_result && inst.result == 0 {
        inst = Inst { ty: 0, result: 0, ..inst };
        return inst.invalid("an id is 0");
    }
    inst.operands = &words[ids..];
    Ok(inst)
}

fn is_known_model(model: u32) -> bool {
    [AddressingModel::Logical, AddressingModel::PhysicalStorageBuffer64].iter().any(|known| *known as u32 == model)
}

fn collect(binary: &mut Binary<'_>, errors: &mut Vec<Diagnostic>) {
    let mut groups: Vec<(u32, Vec<u32>)> = vec![];
    let mut open: Option<FunctionRange> = None;
    for index in 0..binary.insts.len() {
        let inst = binary.insts[index];
        if let Err(error) = collect_one(binary, index, &inst, &mut groups, &mut open) {
            errors.push(*error);
        }
        if errors.len() >= report_limit() {
            return;
        }
    }
    if let Some(function) = open {
        let inst = binary.insts[function.range.start];
        errors.extend(inst.invalid::<()>("the function does not end").err().map(|e| *e));
    }
    for (group, targets) in groups {
        let list = binary.decorations(group).to_vec();
        for target in targets {
            binary.decorations.entry(target).or_default().extend(list.iter().cloned());
        }
    }
}

fn collect_one(
    binary: &mut Binary<'_>,
    index: usize,
    inst: &Inst<'_>,
    groups: &mut Vec<(u32, Vec<u32>)>,
    open: &mut Option<FunctionRange>,
) -> Res<()> {
    if inst.result != 0 {
        match binary.defs.get_mut(inst.result as usize) {
            None => return inst.invalid("its result is not below the bound of ids"),
            Some(def) if *def != 0 => return inst.invalid("its result is defined twice"),
            Some(def) => *def = index as u32 + 1,
        }
    }
    match inst.op {
        Op::Function => {
            if open.is_some() {
                return inst.invalid("it is within another function");
            }
            *open = Some(FunctionRange { id: inst.result, range: index..index });
        }
        Op::FunctionEnd => match open.take() {
            Some(function) => {
                let range = function.range.start..index;
                binary.functions.push(FunctionRange { range, ..function });
            }
            None => return inst.invalid("no function has begun"),
        },
        _ if open.is_some() => {}
        Op::Name => {
            let (id, name) = (inst.word(0)?, text(inst.rest(1)).0);
            binary.names.insert(id, name);
        }
        Op::MemberName => {
            let (id, member, name) = (inst.word(0)?, inst.word(1)?, text(inst.rest(2)).0);
            binary.member_names.insert((id, member), name);
        }
        Op::String => {
            binary.strings.insert(inst.result, text(inst.operands).0);
        }
        Op::ExtInstImport => {
            let name = text(inst.operands).0;
            let set = match name.as_str() {
                "GLSL.std.450" => ExtSet::Glsl,
                "NonSemantic.Shader.DebugInfo.100" => ExtSet::Debug,
                // Debug information of older tools.
                "OpenCL.DebugInfo.100" | "DebugInfo" => ExtSet::NonSemantic,
                _ if name.starts_with("NonSemantic.") => ExtSet::NonSemantic,
                _ => ExtSet::Other,
            };
            binary.sets.insert(inst.result, set);
            binary.set_names.insert(inst.result, name);
        }
        Op::Decorate | Op::DecorateId => {
            // Decorations that are not known have no meaning here.
            if let Some(decoration) = Decoration::from_u32(inst.word(1)?) {
                let entry = (decoration, inst.rest(2).to_vec());
                binary.decorations.entry(inst.word(0)?).or_default().push(entry);
            }
        }
        Op::MemberDecorate => {
            if let Some(decoration) = Decoration::from_u32(inst.word(2)?) {
                let entry = (decoration, inst.rest(3).to_vec());
                binary.member_decorations.entry((inst.word(0)?, inst.word(1)?)).or_default().push(entry);
            }
        }
        Op::GroupDecorate => groups.push((inst.word(0)?, inst.rest(1).to_vec())),
        Op::GroupMemberDecorate => {
            let list = binary.decorations(inst.word(0)?).to_vec();
            for pair in inst.rest(1).chunks_exact(2) {
                binary.member_decorations.entry((pair[0], pair[1])).or_default().extend(list.iter().cloned());
            }
        }
        Op::Capability => binary.needs.capabilities.push(inst.word(0)?),
        Op::Extension => binary.needs.extensions.push(text(inst.operands).0.into()),
        Op::EntryPoint => binary.entry_points.push(index),
        Op::ExecutionMode | Op::ExecutionModeId => binary.modes.push(index),
        Op::TypeForwardPointer | Op::Line | Op::NoLine | Op::ExtInst => {}
        Op::MemoryModel if !is_known_model(inst.word(0)?) => {
            return inst.unsupported("an addressing model other than `Logical` and `PhysicalStorageBuffer64`");
        }
        Op::MemoryModel => binary.needs.vulkan_memory_model = inst.word(1)? == MemoryModel::Vulkan as u32,
        _ if inst.result != 0 && !matches!(inst.op, Op::DecorationGroup) => binary.declarations.push(index),
        _ => {}
    }
    Ok(())
}
