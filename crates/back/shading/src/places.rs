//! Pointers, loads and stores. Where memory differs from the value in it, a [`Place`] says how; a pointer without one is
//! memory of the value's own type.

use std::rc::Rc;

use planish_back_text::tree::{Callee, Expr, ExprKind, Infix, Symbol};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Lanes, Op};
use planish_ir::source::Span;
use planish_ir::types::{ImageKind, ImageType, Scalar, TypeKind};

use crate::bytes::{self, Bytes};
use crate::dialect::Lower;
use crate::globals::{GlobalRef, Leaf, Tree};
use crate::language::Language;
use crate::memory::{MemId, MemKind, packed_of};
use crate::writer::Writer;

/// Textures and samplers of which one is meant: the candidate number `index`, or the only one.
#[derive(Clone, Debug)]
pub struct Opaque {
    /// The candidates.
    pub candidates: Vec<Rc<Tree>>,
    /// A `u32`.
    pub index: Option<Expr>,
}

/// Kind of memory that a pointer leads to.
#[allow(missing_docs, reason = "the fields of a variant are described with it")]
#[derive(Clone, Debug)]
pub enum Place {
    /// Memory that differs from the value in it.
    Memory(MemId),
    /// Components of a vector in memory, in this order. `words`: memory holds words for booleans.
    Lanes { base: Expr, lanes: Vec<u8>, ty: Type, words: bool },
    /// A column of a matrix that lies by rows.
    Column { rows: Expr, part: MemId, index: Expr, ty: Type },
    /// An array of blocks that are bound one by one.
    Blocks { symbols: Rc<[Symbol]>, mem: MemId },
    /// Memory that is addressed by bytes.
    Bytes(Bytes),
    /// One of several places; the index is a `u32` less than their number.
    Choice { index: Expr, places: Rc<[Expr]>, ty: Type },
    /// Textures and samplers.
    Opaque(Opaque),
    /// A struct, or an array of them, of which some members are textures or samplers.
    Mixed { memory: Option<Expr>, stripped: Type, opaque: Opaque },
}

impl<'m, L: Language> Writer<'m, L> {
    /// An expression for a place.
    pub fn at(&mut self, e: Expr, place: Place) -> Expr {
        self.places.insert(e, place);
        e
    }

    /// The vector at an expression for packed memory.
    pub fn packed_at(&self, e: Expr) -> Option<Type> {
        let Some(Place::Memory(mem)) = self.places.get(&e) else { return None };
        let mem = self.prepared.memory.get(*mem);
        matches!(mem.kind, MemKind::Packed).then(|| packed_of(&self.module.types, mem.ty)).flatten()
    }

    fn name_at(&mut self, symbol: Symbol, mem: MemId) -> Expr {
        let e = self.tree.name(symbol);
        self.memory_at(e, mem)
    }

    /// An expression for memory.
    pub fn memory_at(&mut self, e: Expr, mem: MemId) -> Expr {
        match self.prepared.memory.get(mem).kind {
            MemKind::Plain => e,
            MemKind::Bytes { order, in_vectors, written } => {
                let data = self.prepared.memory.get(mem);
                let (ty, own) = (data.value, data.ty);
                let buffer = if in_vectors { self.member(e, own, 0) } else { e };
                let bytes =
                    Bytes { buffer, in_vectors, written, computed: None, known: 0, ty, order, step: None, lanes: None };
                let e = self.tree.add(ExprKind::Int(0));
                self.at(e, Place::Bytes(bytes))
            }
            _ => self.at(e, Place::Memory(mem)),
        }
    }

    /// The pointer to a global. Recursion: one level, as the memory of `Mixed` is a variable or a member of one.
    pub fn global_place(&mut self, global: &GlobalRef) -> Expr {
        match global {
            GlobalRef::Memory { symbol, mem } => self.name_at(*symbol, *mem),
            GlobalRef::Member { symbol, block, member, mem } => {
                let base = self.tree.name(*symbol);
                let ty = self.prepared.memory.get(*block).ty;
                let e = self.tree.add(ExprKind::Member(base, ty, *member));
                self.memory_at(e, *mem)
            }
            GlobalRef::Blocks { symbols, mem } => {
                let e = self.tree.name(symbols[0]);
                self.at(e, Place::Blocks { symbols: symbols.clone(), mem: *mem })
            }
            GlobalRef::Opaque(tree) => self.opaque(Opaque { candidates: vec![tree.clone()], index: None }),
            GlobalRef::Mixed { memory, tree } => {
                let stripped = memory.as_deref().map(|m| self.value_type(m)).unwrap_or(Type::VOID);
                let memory = memory.as_deref().map(|m| self.global_place(m));
                let opaque = Opaque { candidates: vec![tree.clone()], index: None };
                let e = self.tree.add(ExprKind::Int(0));
                self.at(e, Place::Mixed { memory, stripped, opaque })
            }
        }
    }

    fn value_type(&self, global: &GlobalRef) -> Type {
        match global {
            GlobalRef::Memory { mem, .. } | GlobalRef::Member { mem, .. } | GlobalRef::Blocks { mem, .. } => {
                self.prepared.memory.get(*mem).value
            }
            _ => Type::VOID,
        }
    }

    /// Textures and samplers as an expression: the arguments that they are in a call.
    pub fn opaque(&mut self, opaque: Opaque) -> Expr {
        let mut symbols = vec![];
        leaves(&opaque.candidates[0], &mut symbols);
        let names: Vec<Expr> = symbols.into_iter().map(|s| self.tree.name(s)).collect();
        let e = self.tree.call(Callee::Side, &names);
        self.at(e, Place::Opaque(opaque))
    }

    /// The textures and samplers of a parameter, which are parameters of their own.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn param_tree(&mut self, symbol: Symbol, ty: Type, name: &str, is_first: bool) -> Tree {
        let module = self.module;
        match module.types[ty].clone() {
            TypeKind::Image(image) => {
                let texture = if is_first { symbol } else { self.own_param(name.to_owned()) };
                let is_combined = image.kind == ImageKind::Combined;
                let sampler = is_combined.then(|| self.own_param(format!("{name}_sampler")));
                Tree::Leaf(Leaf { texture: Some(texture), sampler, depth: image.shadow })
            }
            TypeKind::Sampler { .. } => {
                let sampler = if is_first { symbol } else { self.own_param(name.to_owned()) };
                Tree::Leaf(Leaf { texture: None, sampler: Some(sampler), depth: false })
            }
            TypeKind::Array { element, len } => {
                let part = |w: &mut Self, i| w.param_tree(symbol, element, &format!("{name}_{i}"), is_first && i == 0);
                Tree::Array((0..len).map(|i| Rc::new(part(self, i))).collect())
            }
            _ => Tree::Struct(vec![]),
        }
    }

    fn own_param(&mut self, name: String) -> Symbol {
        let symbol = self.tree.add_symbol(name);
        self.own_params.push(symbol);
        symbol
    }

    /// The textures and samplers of a parameter by its symbol.
    pub fn tree_of_param(&mut self, symbol: Symbol, ty: Type) -> Rc<Tree> {
        if let Some(known) = self.param_trees.get(&symbol) {
            return known.clone();
        }
        let name = self.tree.symbol(symbol).hint.to_string();
        let tree = Rc::new(self.param_tree(symbol, ty, &name, true));
        self.param_trees.insert(symbol, tree.clone());
        tree
    }

    /// A `u32`.
    pub fn uint(&mut self, n: u32) -> Expr {
        self.tree.add(ExprKind::Uint(n))
    }

    /// A conversion.
    pub fn cast(&mut self, ty: Type, e: Expr) -> Expr {
        match (self.tree.kind(e), ty) {
            (ExprKind::Int(n), Type::U32) if n >= 0 => self.uint(n as u32),
            _ => self.tree.add(ExprKind::Cast(ty, e)),
        }
    }

    /// A member of a struct.
    pub fn member(&mut self, e: Expr, ty: Type, number: u32) -> Expr {
        self.tree.add(ExprKind::Member(e, ty, number))
    }
}

/// The parts of textures and samplers, in the order of arguments.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub fn leaves(tree: &Tree, out: &mut Vec<Symbol>) {
    match tree {
        Tree::Leaf(leaf) => out.extend([leaf.texture, leaf.sampler].into_iter().flatten()),
        Tree::Array(parts) => parts.iter().for_each(|p| leaves(p, out)),
        Tree::Struct(parts) => parts.iter().flatten().for_each(|p| leaves(p, out)),
    }
}

/// The index of a part.
#[derive(Clone, Copy)]
pub enum Index {
    /// A constant, in range.
    Const(u32),
    /// A computed one.
    Value(Expr),
}

/// An index operand. A constant is less than `len`, as others are an error when the module is created; those that are
/// computed are [`Language::bounded`].
pub fn index<L: Language>(l: &mut Lower<'_, '_, L>, value: Value, len: Option<u32>, is_stable: bool) -> Index {
    index_of(l, None, value, len, is_stable)
}

/// As [`index`], of a part of the place `base`.
fn index_of<L: Language>(
    l: &mut Lower<'_, '_, L>,
    base: Option<Expr>,
    value: Value,
    len: Option<u32>,
    is_stable: bool,
) -> Index {
    let bits = value.as_const().and_then(|c| l.w.module.consts.as_bits(c));
    match bits {
        Some(bits) => Index::Const((bits as u32).min(len.map_or(i32::MAX as u32, |n| n.saturating_sub(1)))),
        None => {
            let e = if is_stable { l.stable_operand(value) } else { l.operand(value) };
            match base {
                Some(base) if len.is_none() => Index::Value(L::bounded_by_buffer(l, e, (value, base))),
                _ => Index::Value(L::bounded(l, e, (value, len))),
            }
        }
    }
}

/// `a[i]`.
pub fn element<L: Language>(w: &mut Writer<'_, L>, base: Expr, index: Index) -> Expr {
    let i = match index {
        Index::Const(i) => w.tree.add(ExprKind::Int(i as i32)),
        Index::Value(i) => i,
    };
    w.tree.add(ExprKind::Index(base, i))
}

/// The pointer to a part.
pub fn access<L: Language>(l: &mut Lower<'_, '_, L>, node: Node) -> Option<Expr> {
    let data = l.body.node(node);
    let args = l.body.args(node);
    let (pointer, imm, op) = (l.type_of(args[0]), data.imm, data.op);
    let ty = l.w.module.types.pointee(pointer).map_or(pointer, |(ty, _)| ty);
    let base = l.operand(args[0]);
    Some(match op {
        Op::AccessVectorComponent => part(l, base, ty, Index::Const(imm.as_index())),
        Op::AccessVectorComponentMulti => lanes(l, base, ty, imm.as_lanes()),
        Op::AccessStructField => field(l, base, ty, imm.as_index()),
        _ => {
            let len = l.w.module.types.part_count(ty);
            let is_stable = needs_stable_index(l, base, args[1]);
            let index = index_of(l, Some(base), args[1], len, is_stable);
            part(l, base, ty, index)
        }
    })
}

/// Whether an index gets a name: what is mentioned several times, or not as an index, cannot wait.
fn needs_stable_index<L: Language>(l: &Lower<'_, '_, L>, base: Expr, value: Value) -> bool {
    match l.w.places.get(&base) {
        None => false,
        Some(Place::Memory(mem)) => match l.w.prepared.memory.get(*mem).kind {
            MemKind::Array(element) if !matches!(l.w.prepared.memory.get(element).kind, MemKind::Boxed(_)) => {
                l.pending(value).is_some_and(|e| !l.is_trivial(e))
            }
            _ => true,
        },
        Some(_) => true,
    }
}

/// Recursion: over places within places, at most one level per level of the type.
fn field<L: Language>(l: &mut Lower<'_, '_, L>, base: Expr, ty: Type, number: u32) -> Expr {
    let w = &mut *l.w;
    match w.places.get(&base).cloned() {
        None => w.member(base, ty, number),
        Some(Place::Memory(mem)) => {
            let own = w.prepared.memory.get(mem).ty;
            let MemKind::Struct(members) = &w.prepared.memory.get(mem).kind else {
                return w.member(base, own, number);
            };
            let (number, part) = members[number as usize];
            let e = w.member(base, own, number);
            w.memory_at(e, part)
        }
        Some(Place::Bytes(place)) => bytes::field(l, place, number),
        Some(Place::Choice { index, places, .. }) => {
            choice_of(l, index, &places, |l, e| field(l, e, ty, number), ty, number)
        }
        Some(Place::Opaque(opaque)) => w.opaque(field_of(&opaque, number)),
        Some(Place::Mixed { memory, stripped, opaque }) => {
            let Some(s) = w.module.types.as_struct(ty) else { return base };
            let wholly = |t: Type| planish_interface::is_all_opaque(&w.module.types, t);
            let member = s.members[number as usize].ty;
            if wholly(member) {
                return w.opaque(field_of(&opaque, number));
            }
            // The struct in memory lacks the members that are wholly opaque.
            let before = s.members[..number as usize].iter().filter(|m| !wholly(m.ty)).count() as u32;
            let is_mixed = w.module.types.is_opaque(member);
            let inner_type = w.module.types.as_struct(stripped).map_or(member, |s| s.members[before as usize].ty);
            let Some(memory) = memory else { return base };
            let inner = field(l, memory, stripped, before);
            if !is_mixed {
                return inner;
            }
            let e = l.w.tree.add(ExprKind::Int(0));
            let opaque = field_of(&opaque, number);
            l.w.at(e, Place::Mixed { memory: Some(inner), stripped: inner_type, opaque })
        }
        Some(_) => internal(l, base),
    }
}

fn internal<L: Language>(l: &mut Lower<'_, '_, L>, e: Expr) -> Expr {
    let span = l.span;
    l.w.internal("a place has no such part", span);
    e
}

fn field_of(opaque: &Opaque, number: u32) -> Opaque {
    let field = |tree: &Rc<Tree>| match &**tree {
        Tree::Struct(parts) => parts.get(number as usize).cloned().flatten().unwrap_or_else(|| tree.clone()),
        _ => tree.clone(),
    };
    Opaque { candidates: opaque.candidates.iter().map(field).collect(), index: opaque.index }
}

/// The same part of each of several places.
fn choice_of<L: Language>(
    l: &mut Lower<'_, '_, L>,
    index: Expr,
    places: &[Expr],
    mut part: impl FnMut(&mut Lower<'_, '_, L>, Expr) -> Expr,
    ty: Type,
    number: u32,
) -> Expr {
    let places: Rc<[Expr]> = places.iter().map(|&e| part(l, e)).collect();
    let ty = part_type(l.w, ty, number);
    let e = l.w.tree.add(ExprKind::Int(0));
    l.w.at(e, Place::Choice { index, places, ty })
}

/// The type of a part, which the module has.
fn part_type<L: Language>(w: &Writer<'_, L>, ty: Type, number: u32) -> Type {
    match &w.module.types[ty] {
        TypeKind::Struct(s) => s.members[number as usize].ty,
        TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } => *element,
        TypeKind::Vector(s, _) => w.vector_type(*s, 1),
        TypeKind::Matrix { scalar, rows, .. } => w.vector_type(*scalar, *rows),
        _ => ty,
    }
}

/// An element, column or component.
/// Recursion: over places within places, at most one level per level of the type.
fn part<L: Language>(l: &mut Lower<'_, '_, L>, base: Expr, ty: Type, index: Index) -> Expr {
    let is_vector = matches!(l.w.module.types[ty], TypeKind::Vector(..));
    match l.w.places.get(&base).cloned() {
        None => match index {
            Index::Const(i) if is_vector => l.swizzle(base, Lanes::new(&[i as u8])),
            _ => match l.w.tree.kind(base) {
                ExprKind::Swizzle(whole, lanes) => {
                    let lanes: Vec<u8> = lanes.iter().collect();
                    lane(l, whole, &lanes, ty, false, index)
                }
                _ => element(l.w, base, index),
            },
        },
        Some(Place::Memory(mem)) => memory_part(l, base, mem, ty, index),
        Some(Place::Bytes(place)) => bytes::part(l, place, index),
        Some(Place::Lanes { base, lanes, ty, words }) => lane(l, base, &lanes, ty, words, index),
        Some(Place::Column { rows, part, index: column, .. }) => column_component(l.w, rows, part, column, index),
        Some(Place::Blocks { symbols, mem }) => {
            let TypeKind::Array { element, len } = l.w.module.types[ty] else { return internal(l, base) };
            let count = symbols.len() / len.max(1) as usize;
            let one = |w: &mut Writer<'_, L>, i: u32| {
                let part: Rc<[Symbol]> = symbols[i as usize * count..][..count].into();
                match w.module.types[element] {
                    TypeKind::Array { .. } => w.global_place(&GlobalRef::Blocks { symbols: part, mem }),
                    _ => w.name_at(part[0], mem),
                }
            };
            match index {
                Index::Const(i) => one(l.w, i),
                Index::Value(i) => {
                    let index = clamped(l.w, i, len);
                    let places: Rc<[Expr]> = (0..len).map(|i| one(l.w, i)).collect();
                    let e = l.w.tree.add(ExprKind::Int(0));
                    l.w.at(e, Place::Choice { index, places, ty: element })
                }
            }
        }
        Some(Place::Choice { index: chosen, places, .. }) => {
            choice_of(l, chosen, &places, |l, e| part(l, e, ty, index), ty, 0)
        }
        Some(Place::Opaque(opaque)) => {
            let opaque = element_of(l.w, &opaque, index);
            l.w.opaque(opaque)
        }
        Some(Place::Mixed { memory, stripped, opaque }) => {
            let opaque = element_of(l.w, &opaque, index);
            let memory = memory.map(|m| part(l, m, stripped, index));
            let stripped = part_type(l.w, stripped, 0);
            let e = l.w.tree.add(ExprKind::Int(0));
            l.w.at(e, Place::Mixed { memory, stripped, opaque })
        }
    }
}

/// `min(u32(i), len - 1)`
fn clamped<L: Language>(w: &mut Writer<'_, L>, i: Expr, len: u32) -> Expr {
    if let ExprKind::Call(Callee::BuiltIn("min"), args) = w.tree.kind(i)
        && let Some(ExprKind::Uint(last)) = w.tree.args(args).get(1).map(|&last| w.tree.kind(last))
        && last < len
    {
        return i;
    }
    let i = w.cast(Type::U32, i);
    let last = w.uint(len.saturating_sub(1));
    w.tree.builtin("min", &[i, last])
}

fn memory_part<L: Language>(l: &mut Lower<'_, '_, L>, base: Expr, mem: MemId, ty: Type, index: Index) -> Expr {
    match l.w.prepared.memory.get(mem).kind.clone() {
        MemKind::Array(inner) => element_place(l.w, base, inner, index),
        MemKind::Matrix { row_major: false, part, .. } => element_place(l.w, base, part, index),
        MemKind::Matrix { row_major: true, part, .. } => {
            let ty = part_type(l.w, ty, 0);
            let column = match index {
                Index::Const(i) => l.w.tree.add(ExprKind::Int(i as i32)),
                Index::Value(i) => i,
            };
            let e = l.w.tree.add(ExprKind::Int(0));
            l.w.at(e, Place::Column { rows: base, part, index: column, ty })
        }
        MemKind::Bool | MemKind::Widened | MemKind::Packed => {
            let n = l.w.module.types.vector_size(ty).unwrap_or(1);
            let words = l.w.module.types.scalar_of(ty) == Some(Scalar::Bool);
            let all: Vec<u8> = (0..n).collect();
            lane(l, base, &all, ty, words, index)
        }
        _ => element(l.w, base, index),
    }
}

fn element_place<L: Language>(w: &mut Writer<'_, L>, base: Expr, inner: MemId, index: Index) -> Expr {
    let e = element(w, base, index);
    match w.prepared.memory.get(inner).kind {
        MemKind::Boxed(part) => {
            let shell = w.prepared.memory.get(inner).ty;
            let e = w.member(e, shell, 0);
            w.memory_at(e, part)
        }
        _ => w.memory_at(e, inner),
    }
}

/// A component of a column of a matrix that lies by rows: of the row `index`, each a `part` in memory.
pub(crate) fn column_component<L: Language>(
    w: &mut Writer<'_, L>,
    rows: Expr,
    part: MemId,
    column: Expr,
    index: Index,
) -> Expr {
    let row = element_place(w, rows, part, index);
    w.tree.add(ExprKind::Index(row, column))
}

/// A component of a vector of these lanes; a computed index goes through a table of the lanes.
fn lane<L: Language>(l: &mut Lower<'_, '_, L>, base: Expr, lanes: &[u8], ty: Type, words: bool, index: Index) -> Expr {
    let one = l.w.vector_type(l.w.module.types.scalar_of(ty).unwrap_or(Scalar::F32), 1);
    let e = match index {
        Index::Const(i) => {
            let lane = lanes[(i as usize).min(lanes.len() - 1)];
            component(l.w, base, lane)
        }
        Index::Value(i) => {
            let mut i = clamped(l.w, i, lanes.len() as u32);
            if lanes.iter().enumerate().any(|(i, &l)| i != l as usize) {
                let table: Vec<Expr> = lanes.iter().map(|&n| l.w.uint(n.into())).collect();
                let ty = l.w.vector_type(Scalar::U32, lanes.len() as u8);
                let table = l.w.tree.call(Callee::Type(ty), &table);
                i = l.w.tree.add(ExprKind::Index(table, i));
            }
            l.w.tree.add(ExprKind::Index(base, i))
        }
    };
    if !words {
        return e;
    }
    l.w.at(e, Place::Lanes { base: e, lanes: vec![], ty: one, words })
}

/// Components in some order. Recursion: over places within places, at most one level per level of the type.
fn lanes<L: Language>(l: &mut Lower<'_, '_, L>, base: Expr, ty: Type, wanted: Lanes) -> Expr {
    let scalar = l.w.module.types.scalar_of(ty).unwrap_or(Scalar::F32);
    match l.w.places.get(&base).cloned() {
        None => l.swizzle(base, wanted),
        Some(Place::Memory(_)) => {
            let words = scalar == Scalar::Bool;
            let ty = l.w.vector_type(scalar, wanted.len() as u8);
            let e = l.w.tree.add(ExprKind::Int(0));
            l.w.at(e, Place::Lanes { base, lanes: wanted.iter().collect(), ty, words })
        }
        Some(Place::Lanes { base, lanes: outer, words, .. }) => {
            let through: Vec<u8> = wanted.iter().map(|n| outer[n as usize]).collect();
            let ty = l.w.vector_type(scalar, wanted.len() as u8);
            let e = l.w.tree.add(ExprKind::Int(0));
            l.w.at(e, Place::Lanes { base, lanes: through, ty, words })
        }
        Some(Place::Bytes(place)) => bytes::lanes(l, place, wanted),
        Some(Place::Choice { index, places, .. }) => {
            let places: Rc<[Expr]> = places.iter().map(|&e| lanes(l, e, ty, wanted)).collect();
            let ty = l.w.vector_type(scalar, wanted.len() as u8);
            let e = l.w.tree.add(ExprKind::Int(0));
            l.w.at(e, Place::Choice { index, places, ty })
        }
        Some(Place::Column { .. }) => {
            let span = l.span;
            let message = "a swizzle of a column of a row-major matrix cannot be written here".to_owned();
            l.w.error(Code::E0606, span, message);
            base
        }
        Some(_) => internal(l, base),
    }
}

/// A component of a vector in memory.
pub fn component<L: Language>(w: &mut Writer<'_, L>, base: Expr, lane: u8) -> Expr {
    match w.packed_at(base) {
        Some(_) => element(w, base, Index::Const(lane.into())),
        None => w.tree.add(ExprKind::Swizzle(base, Lanes::new(&[lane]))),
    }
}

fn element_of<L: Language>(w: &mut Writer<'_, L>, opaque: &Opaque, index: Index) -> Opaque {
    let parts: Vec<&[Rc<Tree>]> = opaque
        .candidates
        .iter()
        .map(|c| match &**c {
            Tree::Array(elements) => &elements[..],
            _ => &[],
        })
        .collect();
    let len = parts.first().map_or(0, |p| p.len());
    if len == 0 {
        return opaque.clone();
    }
    match index {
        Index::Const(i) => Opaque {
            candidates: parts.iter().map(|p| p[(i as usize).min(len - 1)].clone()).collect(),
            index: opaque.index,
        },
        Index::Value(i) => {
            let candidates: Vec<Rc<Tree>> = parts.iter().flat_map(|p| p.iter().cloned()).collect();
            let mut index = clamped(w, i, len as u32);
            if let Some(outer) = opaque.index {
                let len = w.uint(len as u32);
                let base = w.tree.infix(Infix::Mul, outer, len);
                index = w.tree.infix(Infix::Add, base, index);
            }
            Opaque { candidates, index: Some(index) }
        }
    }
}

// Checks before anything is written.

/// The error of a parameter that holds samplers beside other things.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub fn refused_param(
    module: &Module,
    (target_name, passes_images): (&str, bool),
    ty: Type,
    span: Span,
) -> Option<Diagnostic> {
    match &module.types[ty] {
        TypeKind::Image(ImageType { kind: ImageKind::Storage(_), .. }) => {
            let message = format!("{target_name} cannot pass storage images to functions");
            (!passes_images).then(|| Diagnostic::error(Code::E0605, span, message))
        }
        TypeKind::Array { element, .. } if module.types.is_opaque(*element) => {
            refused_param(module, (target_name, passes_images), *element, span)
        }
        TypeKind::Struct(_) if module.types.is_opaque(ty) => {
            let what = planish_interface::describe(&module.types[ty]);
            let message = format!("{target_name} cannot pass a {what} that holds samplers to a function");
            Some(Diagnostic::error(Code::E0605, span, message).help("pass the members one by one"))
        }
        _ => None,
    }
}

/// Whether a texture or sampler is an element of an array by a computed index.
pub fn is_chosen(body: &Body, mut value: Value) -> bool {
    while let Some(node) = body.node_of(value) {
        let args = body.args(node);
        let op = body.node(node).op;
        if op == Op::AccessArrayElement && args[1].as_const().is_none() {
            return true;
        }
        let Some(&next) = args.first() else { return false };
        value = next;
    }
    false
}
