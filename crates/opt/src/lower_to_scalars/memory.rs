//! Which variables become scalar variables, and where the others lie in memory.

use planish_ir::arena::SideTable;
use planish_ir::constant::ConstValue;
use planish_ir::decoration::{Decoration, Name, NameSource};
use planish_ir::entity::{Const, Local, Memory, Type, Value, Var};
use planish_ir::function::Body;
use planish_ir::layout::{Layout, Layouts, Rule, is_row_major};
use planish_ir::meaning::Shape;
use planish_ir::module::{DataSegment, Linkage, MemoryData, Module, Offset, VarData};
use planish_ir::ops::{Class, Op};
use planish_ir::types::{AddressSpace, Scalar, TypeKind, Types};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

use super::MEMORY;

/// A variable of more scalars than this lies in memory.
const MAX_PARTS: usize = 64;
/// Address 0 is never allocated.
const FIRST: u32 = 16;
const PAGE: u32 = MemoryData::PAGE as u32;

/// The location of a variable.
#[derive(Clone, Debug)]
pub(super) enum Home {
    /// Its components are variables.
    Parts(Arc<[Var]>),
    /// It is in memory.
    Memory { memory: Memory, address: u32, rule: Rule, row_major: bool, length: Option<Var> },
}

/// A place for a variable in a memory that the module has.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// The memory.
    pub memory: Memory,
    /// Address of the variable.
    pub address: u32,
    /// The rule by which it is laid out.
    pub rule: Rule,
    /// A variable of type `u32` with the number of elements of the array without a size that it ends with.
    pub length: Option<Var>,
}

/// By variable: its place.
pub type Placements = FxHashMap<Var, Placement>;

/// See the module's documentation.
pub(super) struct Plan {
    pub(super) memory: Memory,
    homes: FxHashMap<Var, Home>,
    addressed: FxHashSet<Var>,
    layouts: [Layouts; 3],
    tables: FxHashMap<Const, u32>,
    segments: Vec<(u32, Vec<u8>)>,
    /// Whether something else than an invocation of a stage, which begins its variables anew, reads the module's variables.
    keeps_state: bool,
    next: u32,
    used: bool,
    /// Variables in memories of the caller's.
    given: Placements,
    /// Number of lanes, in functions over several invocations.
    pub(super) lanes: Option<u8>,
}

impl Plan {
    pub(super) fn new(module: &mut Module, old: &Module, lanes: Option<u8>, given: &Placements) -> Self {
        let memory = module.memories.next_key();
        let mut addressed = FxHashSet::default();
        for body in old.funcs.values().filter_map(|f| f.body.as_ref()) {
            find_addressed(body, &mut addressed);
        }
        Plan {
            memory,
            homes: FxHashMap::default(),
            addressed,
            layouts: [Layouts::new(Rule::Std140), Layouts::new(Rule::Std430), Layouts::new(Rule::Scalar)],
            tables: FxHashMap::default(),
            segments: Vec::new(),
            keeps_state: old.entry_points.is_empty() || old.entry_points.iter().any(|e| e.stage.is_none()),
            next: FIRST,
            used: false,
            given: given.clone(),
            lanes,
        }
    }

    /// The layout of a type.
    pub(super) fn layout(&mut self, types: &Types, ty: Type, rule: Rule, row_major: bool) -> Option<Arc<Layout>> {
        let index = match rule {
            Rule::Std140 => 0,
            Rule::Std430 => 1,
            Rule::Scalar => 2,
        };
        self.layouts[index].get(types, ty, row_major).ok()
    }

    /// The location of a variable; `None` if it cannot have one.
    pub(super) fn home(&mut self, module: &mut Module, var: Var) -> Option<Home> {
        if let Some(home) = self.homes.get(&var) {
            return Some(home.clone());
        }
        if let Some(&Placement { memory, address, rule, length }) = self.given.get(&var) {
            let row_major = rule != Rule::Scalar && module.vars[var].decorations.has(Decoration::RowMajor);
            let home = Home::Memory { memory, address, rule, row_major, length };
            self.homes.insert(var, home.clone());
            return Some(home);
        }
        let data = module.vars[var].clone();
        let count = module.types.components(data.ty);
        let own = matches!(data.space, AddressSpace::Function | AddressSpace::Private);
        let home = match count {
            _ if own && !super::is_composite(module, data.ty) && !self.addressed.contains(&var) => {
                Home::Parts([var].into())
            }
            Some(count) if own && count <= MAX_PARTS && !self.addressed.contains(&var) => {
                let mut types = Vec::new();
                if !super::scalars(module, data.ty, self.lanes, &mut types) {
                    return None;
                }
                let first = data.initializer.filter(|_| data.space == AddressSpace::Private);
                let first = first.map_or(vec![], |c| scalar_constants(module, c, self.lanes));
                let part = |(i, ty)| part(module, var, ty, first.get(i).copied());
                Home::Parts(types.into_iter().enumerate().map(part).collect())
            }
            _ => {
                let rule = block_rule(module, &data);
                let row_major = data.decorations.has(Decoration::RowMajor);
                let layout = self.layout(&module.types, data.ty, rule, row_major)?;
                let address = self.take(layout.size, layout.align)?;
                if let Some(first) = data.initializer.filter(|_| self.begins_with_its_value(&data)) {
                    let mut bytes = vec![0; layout.size as usize];
                    self.write(module, first, (rule, row_major), 0, &mut bytes)?;
                    if bytes.iter().any(|&byte| byte != 0) {
                        self.segments.push((address, bytes));
                    }
                }
                Home::Memory { memory: self.memory, address, rule, row_major, length: None }
            }
        };
        self.homes.insert(var, home.clone());
        Some(home)
    }

    /// Whether a variable in memory holds its initial value when the module is instantiated. Functions give theirs that value
    /// whenever they declare them, and stages at the beginning of each invocation, but for constants.
    fn begins_with_its_value(&self, data: &VarData) -> bool {
        match data.space {
            AddressSpace::Function => false,
            AddressSpace::Private | AddressSpace::Output => self.keeps_state || data.is_const,
            _ => true,
        }
    }

    /// A function gets addresses, so there is a memory, if only for code that is never called.
    pub(super) fn has_addresses(&mut self) {
        self.used = true;
    }

    /// Room in memory.
    fn take(&mut self, size: u32, align: u32) -> Option<u32> {
        let address = self.next.checked_next_multiple_of(align.max(4))?;
        self.next = address.checked_add(size.max(4))?;
        self.used = true;
        Some(address)
    }

    /// The address of a constant array, which is in memory from the beginning.
    pub(super) fn table(&mut self, module: &Module, constant: Const) -> Option<u32> {
        if let Some(&address) = self.tables.get(&constant) {
            return Some(address);
        }
        let ty = module.consts[constant].ty;
        let layout = self.layout(&module.types, ty, Rule::Std430, false)?;
        let mut bytes = vec![0; layout.size as usize];
        self.write(module, constant, (Rule::Std430, false), 0, &mut bytes)?;
        let address = self.take(layout.size, layout.align)?;
        self.segments.push((address, bytes));
        self.tables.insert(constant, address);
        Some(address)
    }

    /// Writes the bytes of a constant that lies by a rule, row-major or not. Recurses as deep as types are nested.
    fn write(
        &mut self,
        module: &Module,
        constant: Const,
        (rule, row_major): (Rule, bool),
        at: u32,
        bytes: &mut [u8],
    ) -> Option<()> {
        let data = &module.consts[constant];
        let parts = match (&data.value, &module.types[data.ty]) {
            (ConstValue::Composite(parts), TypeKind::Vector(Scalar::Bool, n)) if Some(*n) == self.lanes => {
                for (lane, &part) in parts.iter().enumerate() {
                    let set = module.consts.as_bits(part)? != 0;
                    let at = at as usize + 4 * lane;
                    bytes.get_mut(at..at + 4)?.fill(if set { 0xff } else { 0 });
                }
                return Some(());
            }
            (&ConstValue::Bits(bits), TypeKind::Scalar(scalar)) => {
                let width = size_of(*scalar) as usize;
                bytes.get_mut(at as usize..at as usize + width)?.copy_from_slice(&bits.to_le_bytes()[..width]);
                return Some(());
            }
            (ConstValue::Composite(parts), _) => parts,
            _ => return None,
        };
        let layout = self.layout(&module.types, data.ty, rule, row_major)?;
        for (i, &part) in parts.iter().enumerate() {
            let (offset, row_major) = match &module.types[data.ty] {
                TypeKind::Struct(s) => (layout.members[i].offset, is_row_major(&s.members[i].decorations, row_major)),
                TypeKind::Vector(scalar, _) => (i as u32 * size_of(*scalar), false),
                TypeKind::Matrix { scalar, .. } if row_major => {
                    for (row, &component) in module.consts.as_parts(part)?.iter().enumerate() {
                        let offset = row as u32 * layout.stride + i as u32 * size_of(*scalar);
                        self.write(module, component, (rule, false), at + offset, bytes)?;
                    }
                    continue;
                }
                _ => (i as u32 * layout.stride, row_major),
            };
            self.write(module, part, (rule, row_major), at + offset, bytes)?;
        }
        Some(())
    }

    /// The memory that is added, with the number of its bytes that are used; `None` if there is none.
    pub(super) fn extent(&self) -> super::Extent {
        self.used.then_some((self.memory, self.next))
    }

    /// The addresses of the variables in memory.
    pub(super) fn addresses(&self) -> super::Addresses {
        let address = |home: &Home| match *home {
            Home::Memory { address, .. } => Some(address),
            Home::Parts(_) => None,
        };
        self.homes.iter().filter_map(|(&var, home)| Some((var, address(home)?))).collect()
    }

    /// Adds the planned memory to the module.
    pub(super) fn finish(self, module: &mut Module, old: &Module) {
        if !self.used {
            return;
        }
        let pages = self.next.div_ceil(PAGE);
        let mut names = export_names(module);
        let name = free_name(&mut names, MEMORY.into());
        let memory = MemoryData { min_pages: pages, max_pages: None, import: None, exports: vec![name] };
        module.memories.push(memory);
        for (address, bytes) in self.segments {
            let active = Some((self.memory, Offset::Const(address)));
            module.data.push(DataSegment { active, bytes: bytes.into() });
        }
        names.insert(super::DISCARDED.into());
        for &var in &old.globals {
            let data = &old.vars[var];
            let shared = !matches!(data.space, AddressSpace::Function | AddressSpace::Private);
            let is_shared = shared && !self.given.contains_key(&var);
            let Some(&Home::Memory { address, .. }) = self.homes.get(&var).filter(|_| is_shared) else { continue };
            let own: Arc<str> = data.name.text.clone();
            let of_block = old.types.as_struct(data.ty).map(|s| s.name.clone());
            let name = free_name(&mut names, if own.is_empty() { of_block.unwrap_or(own) } else { own });
            let exported =
                module.add_var(Name::new(name.clone(), NameSource::Internal), Type::I32, AddressSpace::Private);
            let address = module.consts.i32(address as i32);
            let data = &mut module.vars[exported];
            data.is_const = true;
            data.initializer = Some(address);
            data.linkage = Some(Box::new(Linkage { exports: vec![name], ..Linkage::default() }));
        }
    }
}

/// The names that a module exports.
fn export_names(module: &Module) -> FxHashSet<Arc<str>> {
    let functions = module.entry_points.iter().flat_map(|entry| &entry.names);
    let memories = module.memories.values().flat_map(|memory| &memory.exports);
    let tables = module.tables.values().flat_map(|table| &table.exports);
    let vars = module.vars.values().filter_map(|data| data.linkage.as_ref()).flat_map(|linkage| &linkage.exports);
    functions.chain(memories).chain(tables).chain(vars).cloned().collect()
}

/// Takes a name that nothing is exported by yet, with underscores appended where it is taken.
fn free_name(names: &mut FxHashSet<Arc<str>>, mut name: Arc<str>) -> Arc<str> {
    while !names.insert(name.clone()) {
        name = format!("{name}_").into();
    }
    name
}

/// Bytes of a scalar in memory; a truth value takes a word.
pub(super) fn size_of(scalar: Scalar) -> u32 {
    if scalar.bits() == 64 { 8 } else { 4 }
}

/// A variable for a component of another one.
fn part(module: &mut Module, var: Var, ty: Type, first: Option<Const>) -> Var {
    let data = module.vars[var].clone();
    let part = module.add_var(data.name.clone(), ty, data.space);
    (module.vars[part].span, module.vars[part].initializer) = (data.span, first);
    part
}

/// The scalars that a constant is made of, in order; 128-bit values for lanes.
pub(super) fn scalar_constants(module: &mut Module, constant: Const, lanes: Option<u8>) -> Vec<Const> {
    let (mut out, mut stack) = (Vec::new(), vec![constant]);
    while let Some(constant) = stack.pop() {
        if let Some((scalar, _)) = super::lanes::lanes_of(&module.types, module.consts[constant].ty, lanes) {
            out.extend(super::lanes::constants(module, constant, scalar));
            continue;
        }
        match module.consts.as_parts(constant) {
            Some(parts) => stack.extend(parts.iter().rev()),
            None => out.push(constant),
        }
    }
    out
}

/// The rule that a variable's block is laid out by.
fn block_rule(module: &Module, data: &VarData) -> Rule {
    let given = data
        .decorations
        .find(|d| if let Decoration::BlockLayout(layout) = d { Some(Rule::from(layout)) } else { None });
    let is_block = |ty: Type| module.types.as_struct(ty).is_some_and(|s| s.is_block);
    let fallback = if data.space == AddressSpace::Uniform && is_block(data.ty) { Rule::Std140 } else { Rule::Std430 };
    let shared = matches!(data.space, AddressSpace::Uniform | AddressSpace::Storage | AddressSpace::PushConstant);
    given.filter(|_| shared).unwrap_or(fallback)
}

/// Finds the variables with parts that are known only when the program runs, and those whose address goes elsewhere.
fn find_addressed(body: &Body, found: &mut FxHashSet<Var>) {
    let mut roots: SideTable<Local, Option<Var>> = SideTable::new();
    let root =
        |roots: &SideTable<Local, Option<Var>>, value: Value| value.as_var().or_else(|| roots[value.as_local()?]);
    for (node, data) in body.nodes() {
        let args = body.args(node);
        for (i, &arg) in args.iter().enumerate() {
            let Some(var) = root(&roots, arg) else { continue };
            let class = data.op.info().class;
            let direct = i == 0 && (class == Class::Memory || class == Class::Access || is_increment(data.op));
            let dynamic = class == Class::Access && args[1..].iter().any(|a| a.as_const().is_none());
            if !direct || dynamic || data.op == Op::AccessVectorComponentDynamic {
                found.insert(var);
            }
            if class == Class::Access
                && let Some(result) = body.result(node)
            {
                roots[result] = Some(var);
            }
        }
    }
}

/// Whether an op reads and writes the memory its operand points to.
pub(super) fn is_increment(op: Op) -> bool {
    matches!(op, Op::PrefixIncrement | Op::PrefixDecrement | Op::PostfixIncrement | Op::PostfixDecrement)
}
