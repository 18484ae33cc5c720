//! Which variables become scalar variables, and where the others lie in memory.

use planish_ir::arena::SideTable;
use planish_ir::constant::ConstValue;
use planish_ir::decoration::{Decoration, Name, NameSource};
use planish_ir::entity::{Const, Local, Memory, Type, Value, Var};
use planish_ir::function::Body;
use planish_ir::layout::{Layout, Layouts, Rule};
use planish_ir::meaning::Shape;
use planish_ir::module::{DataSegment, Linkage, MemoryData, Module, Offset};
use planish_ir::ops::{Class, Op};
use planish_ir::types::{AddressSpace, Scalar, TypeKind, Types};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

use super::MEMORY;

/// A variable of more scalars than this lies in memory.
const MAX_PARTS: usize = 64;
/// Address 0 is nobody's.
const FIRST: u32 = 16;
const PAGE: u32 = MemoryData::PAGE as u32;

/// Where a variable is.
#[derive(Clone, Debug)]
pub(super) enum Home {
    /// Its components are variables.
    Parts(Arc<[Var]>),
    /// It is in memory.
    Memory { address: u32, rule: Rule, row_major: bool },
}

/// See the module's documentation.
pub(super) struct Plan {
    pub(super) memory: Memory,
    homes: FxHashMap<Var, Home>,
    addressed: FxHashSet<Var>,
    layouts: [Layouts; 3],
    tables: FxHashMap<Const, u32>,
    segments: Vec<(u32, Vec<u8>)>,
    next: u32,
    used: bool,
}

impl Plan {
    pub(super) fn new(module: &mut Module, old: &Module) -> Self {
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
            next: FIRST,
            used: false,
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

    /// Where a variable is; `None` if it can be nowhere.
    pub(super) fn home(&mut self, module: &mut Module, var: Var) -> Option<Home> {
        if let Some(home) = self.homes.get(&var) {
            return Some(home.clone());
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
                if !super::scalars(module, data.ty, &mut types) {
                    return None;
                }
                Home::Parts(types.into_iter().map(|ty| part(module, var, ty)).collect())
            }
            _ => {
                let rule = block_rule(module, &data);
                let row_major = data.decorations.has(Decoration::RowMajor);
                let layout = self.layout(&module.types, data.ty, rule, row_major)?;
                Home::Memory { address: self.take(layout.size, layout.align)?, rule, row_major }
            }
        };
        self.homes.insert(var, home.clone());
        Some(home)
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
        self.write(module, constant, 0, &mut bytes)?;
        let address = self.take(layout.size, layout.align)?;
        self.segments.push((address, bytes));
        self.tables.insert(constant, address);
        Some(address)
    }

    /// Recurses as deep as types are nested.
    fn write(&mut self, module: &Module, constant: Const, at: u32, bytes: &mut [u8]) -> Option<()> {
        let data = &module.consts[constant];
        match (&data.value, &module.types[data.ty]) {
            (&ConstValue::Bits(bits), TypeKind::Scalar(scalar)) => {
                let width = size_of(*scalar) as usize;
                bytes.get_mut(at as usize..at as usize + width)?.copy_from_slice(&bits.to_le_bytes()[..width]);
            }
            (ConstValue::Composite(parts), kind) => {
                let layout = self.layout(&module.types, data.ty, Rule::Std430, false)?;
                let unit = if let TypeKind::Vector(s, _) = kind { size_of(*s) } else { layout.stride };
                for (i, &part) in (0u32..).zip(parts.iter()) {
                    let offset = layout.members.get(i as usize).map_or(i * unit, |m| m.offset);
                    self.write(module, part, at + offset, bytes)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Adds to the module what was planned.
    pub(super) fn finish(self, module: &mut Module, old: &Module) {
        if !self.used {
            return;
        }
        let pages = self.next.div_ceil(PAGE);
        let memory = MemoryData { min_pages: pages, max_pages: None, import: None, exports: vec![MEMORY.into()] };
        module.memories.push(memory);
        for (address, bytes) in self.segments {
            let active = Some((self.memory, Offset::Const(address)));
            module.data.push(DataSegment { active, bytes: bytes.into() });
        }
        let taken = module.entry_points.iter().flat_map(|e| e.names.iter().cloned());
        let mut names: FxHashSet<Arc<str>> = taken.chain([MEMORY.into(), super::DISCARDED.into()]).collect();
        for &var in &old.globals {
            let data = &old.vars[var];
            let shared = !matches!(data.space, AddressSpace::Function | AddressSpace::Private);
            let Some(&Home::Memory { address, .. }) = self.homes.get(&var).filter(|_| shared) else { continue };
            let own: Arc<str> = data.name.text.clone();
            let of_block = old.types.as_struct(data.ty).map(|s| s.name.clone());
            let mut name = if own.is_empty() { of_block.unwrap_or(own) } else { own };
            while !names.insert(name.clone()) {
                name = format!("{name}_").into();
            }
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

/// Bytes of a scalar in memory; a truth value takes a word.
pub(super) fn size_of(scalar: Scalar) -> u32 {
    if scalar.bits() == 64 { 8 } else { 4 }
}

/// A variable for a component of another one.
fn part(module: &mut Module, var: Var, ty: Type) -> Var {
    let data = module.vars[var].clone();
    let part = module.add_var(data.name.clone(), ty, data.space);
    module.vars[part].span = data.span;
    part
}

/// The rule that a variable's block is laid out by.
fn block_rule(module: &Module, data: &planish_ir::module::VarData) -> Rule {
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

/// Whether an op reads and writes the memory behind its operand.
pub(super) fn is_increment(op: Op) -> bool {
    matches!(op, Op::PrefixIncrement | Op::PrefixDecrement | Op::PostfixIncrement | Op::PostfixDecrement)
}
