//! Memory that is addressed by offsets in bytes, in words of 32 bits: the buffers of HLSL, and constant buffers that no struct
//! describes. Numbers of 64 bits are two words, those of 16 bits are loaded and stored as such.

use planish_back_text::tree::{Callee, Expr, ExprKind, Infix, Stmt};
use planish_ir::diagnostic::Code;
use planish_ir::entity::Type;
use planish_ir::layout::{Rule, scalar_size};
use planish_ir::ops::Lanes;
use planish_ir::types::{Scalar, TypeKind};

use crate::dialect::Lower;
use crate::language::Language;
use crate::places::{Index, Place};
use crate::transfers::{copied, words_to_bools};
use crate::writer::Writer;

/// Layout of a value in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// The rule of the block.
    pub rule: Rule,
    /// Whether matrices lie by rows.
    pub row_major: bool,
}

/// A place in memory that is addressed by bytes.
#[derive(Clone, Debug)]
pub struct Bytes {
    /// The buffer, or the array of vectors of four words ([`Bytes::in_vectors`]).
    pub buffer: Expr,
    /// Whether the buffer is an array of vectors of four words.
    pub in_vectors: bool,
    /// Whether the buffer may be written.
    pub written: bool,
    /// The computed part of the offset, a `u32`.
    pub computed: Option<Expr>,
    /// The known part of the offset.
    pub known: u32,
    /// The type of the value there.
    pub ty: Type,
    /// Its layout.
    pub order: Order,
    /// Distance of the components of a vector, if it is not their size: those of a column of a matrix by rows are a row apart.
    pub step: Option<u32>,
    /// Components of a vector that are meant, if not all.
    pub lanes: Option<Lanes>,
}

impl Bytes {
    /// The offset of a byte behind the place.
    pub fn offset<L: Language>(&self, w: &mut Writer<'_, L>, plus: u32) -> Expr {
        let known = self.known + plus;
        match self.computed {
            None => w.uint(known),
            Some(computed) if known == 0 => computed,
            Some(computed) => {
                let known = w.uint(known);
                w.tree.infix(Infix::Add, computed, known)
            }
        }
    }

    /// The known offset of a byte behind the place; `None` if it is computed.
    pub fn known_offset(&self, plus: u32) -> Option<u32> {
        self.computed.is_none().then_some(self.known + plus)
    }

    /// Distance of components of a scalar type.
    fn step(&self, scalar: Scalar) -> u32 {
        self.step.unwrap_or(scalar_size(scalar))
    }

    fn moved<L: Language>(&self, w: &mut Writer<'_, L>, index: Index, stride: u32) -> Bytes {
        let mut moved = self.clone();
        match index {
            Index::Const(i) => moved.known = moved.known.saturating_add(i.saturating_mul(stride)),
            Index::Value(i) => {
                let stride = w.uint(stride);
                let product = w.tree.infix(Infix::Mul, i, stride);
                let sum = |computed| w.tree.infix(Infix::Add, computed, product);
                moved.computed = Some(moved.computed.map_or(product, sum));
            }
        }
        moved
    }
}

fn at<L: Language>(l: &mut Lower<'_, '_, L>, bytes: Bytes) -> Expr {
    let e = l.w.tree.add(ExprKind::Int(0));
    l.w.at(e, Place::Bytes(bytes))
}

/// Member number `number`.
pub(crate) fn field<L: Language>(l: &mut Lower<'_, '_, L>, bytes: Bytes, number: u32) -> Expr {
    let (module, span) = (l.w.module, l.span);
    let order = bytes.order;
    let Some(s) = module.types.as_struct(bytes.ty) else { return at(l, bytes) };
    let ty = s.members[number as usize].ty;
    let layout = l.w.prepared.memory.layout(&module.types, bytes.ty, order.rule, order.row_major, span);
    match layout {
        Ok(layout) => {
            let member = layout.members[number as usize];
            let order = Order { row_major: member.row_major, ..order };
            at(l, Bytes { known: bytes.known + member.offset, ty, order, ..bytes })
        }
        Err(error) => {
            l.w.errors.push(*error);
            at(l, bytes)
        }
    }
}

/// An element, column or component.
pub(crate) fn part<L: Language>(l: &mut Lower<'_, '_, L>, bytes: Bytes, index: Index) -> Expr {
    let bytes = part_of(l, &bytes, index);
    at(l, bytes)
}

fn part_of<L: Language>(l: &mut Lower<'_, '_, L>, bytes: &Bytes, index: Index) -> Bytes {
    let (module, span) = (l.w.module, l.span);
    let order = bytes.order;
    let layout = l.w.prepared.memory.layout(&module.types, bytes.ty, order.rule, order.row_major, span);
    let stride = match layout {
        Ok(layout) => layout.stride,
        Err(error) => {
            l.w.errors.push(*error);
            0
        }
    };
    match module.types[bytes.ty] {
        TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } => {
            Bytes { ty: element, ..bytes.moved(l.w, index, stride) }
        }
        TypeKind::Matrix { scalar, rows, .. } => {
            let ty = l.w.vector_type(scalar, rows);
            let (distance, step) = if order.row_major { (scalar_size(scalar), Some(stride)) } else { (stride, None) };
            Bytes { ty, step, ..bytes.moved(l.w, index, distance) }
        }
        _ => {
            let scalar = module.types.scalar_of(bytes.ty).unwrap_or(Scalar::F32);
            let ty = l.w.vector_type(scalar, 1);
            let index = match (index, bytes.lanes) {
                (Index::Const(i), Some(lanes)) => Index::Const(lanes.iter().nth(i as usize).unwrap_or(0).into()),
                (Index::Value(i), Some(lanes)) => {
                    let table: Vec<Expr> = lanes.iter().map(|n| l.w.uint(n.into())).collect();
                    let ty = l.w.vector_type(Scalar::U32, table.len() as u8);
                    let table = l.w.tree.call(Callee::Type(ty), &table);
                    Index::Value(l.w.tree.add(ExprKind::Index(table, i)))
                }
                (index, None) => index,
            };
            Bytes { ty, lanes: None, ..bytes.moved(l.w, index, bytes.step(scalar)) }
        }
    }
}

/// Components in some order.
pub(crate) fn lanes<L: Language>(l: &mut Lower<'_, '_, L>, bytes: Bytes, wanted: Lanes) -> Expr {
    let scalar = l.w.module.types.scalar_of(bytes.ty).unwrap_or(Scalar::F32);
    let ty = l.w.vector_type(scalar, wanted.len() as u8);
    let through: Vec<u8> = match bytes.lanes {
        Some(outer) => wanted.iter().map(|n| outer.iter().nth(n.into()).unwrap_or(0)).collect(),
        None => wanted.iter().collect(),
    };
    at(l, Bytes { ty, lanes: Some(Lanes::new(&through)), ..bytes })
}

/// Whether numbers of a type are parts of words of a constant buffer; it is an error.
fn is_part_of_word<L: Language>(l: &mut Lower<'_, '_, L>, bytes: &Bytes) -> bool {
    let is = bytes.in_vectors && l.w.module.types.scalar_of(bytes.ty).is_some_and(|scalar| scalar.bits() == 16);
    if is {
        let (name, span) = (l.w.target_name.clone(), l.span);
        l.w.error(Code::E0606, span, format!("{name} is written without 16-bit numbers in constant buffers"));
    }
    is
}

/// The value at a place. Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub(crate) fn load<L: Language>(l: &mut Lower<'_, '_, L>, bytes: &Bytes) -> Expr {
    let module = l.w.module;
    if is_part_of_word(l, bytes) {
        return l.w.tree.add(ExprKind::Int(0));
    }
    let count = match module.types[bytes.ty] {
        TypeKind::Scalar(scalar) => return load_vector(l, bytes, scalar, 1),
        TypeKind::Vector(scalar, n) => return load_vector(l, bytes, scalar, n),
        TypeKind::Matrix { columns, .. } => columns.into(),
        TypeKind::Array { len, .. } => len,
        TypeKind::Struct(ref s) => {
            let parts: Vec<Expr> = (0..s.members.len() as u32)
                .map(|i| {
                    let member = field(l, bytes.clone(), i);
                    crate::transfers::load(l, member)
                })
                .collect();
            return l.w.tree.call(Callee::Type(bytes.ty), &parts);
        }
        _ => {
            let span = l.span;
            l.w.error(Code::E0604, span, "an array sized by its buffer cannot be copied".into());
            return l.w.tree.add(ExprKind::Int(0));
        }
    };
    let parts: Vec<Expr> = (0..count)
        .map(|i| {
            let part = part_of(l, bytes, Index::Const(i));
            load(l, &part)
        })
        .collect();
    l.w.tree.call(Callee::Type(bytes.ty), &parts)
}

fn load_vector<L: Language>(l: &mut Lower<'_, '_, L>, bytes: &Bytes, scalar: Scalar, n: u8) -> Expr {
    let step = bytes.step(scalar);
    if scalar_size(scalar) != 4 {
        return load_numbers(l, bytes, scalar, n);
    }
    let is_whole = bytes.lanes.is_none() && (n == 1 || step == 4);
    // A run of components is loaded at once.
    let run = bytes.lanes.filter(|_| step == 4).and_then(first_of_run);
    let words = match (is_whole, run) {
        (true, _) => L::load_words(l.w, bytes, 0, n),
        (false, Some(first)) => L::load_words(l.w, bytes, 4 * u32::from(first), n),
        (false, None) => {
            let lanes: Vec<u8> = bytes.lanes.map_or_else(|| (0..n).collect(), |lanes| lanes.iter().collect());
            let parts: Vec<Expr> =
                lanes.iter().map(|&lane| L::load_words(l.w, bytes, u32::from(lane) * step, 1)).collect();
            let ty = l.w.vector_type(Scalar::U32, n);
            if n == 1 { parts[0] } else { l.w.tree.call(Callee::Type(ty), &parts) }
        }
    };
    if scalar == Scalar::Bool { words_to_bools(l.w, words, bytes.ty) } else { L::from_words(l.w, words, scalar) }
}

/// Numbers that are no words, component by component.
fn load_numbers<L: Language>(l: &mut Lower<'_, '_, L>, bytes: &Bytes, scalar: Scalar, n: u8) -> Expr {
    let step = bytes.step(scalar);
    let lanes: Vec<u8> = bytes.lanes.map_or_else(|| (0..n).collect(), |lanes| lanes.iter().collect());
    let mut parts = vec![];
    for lane in lanes {
        let at = u32::from(lane) * step;
        parts.push(if scalar.bits() == 64 {
            let words = L::load_words(l.w, bytes, at, 2);
            L::from_words(l.w, words, scalar)
        } else {
            L::load_number(l.w, bytes, at, scalar)
        });
    }
    if n == 1 { parts[0] } else { l.w.tree.call(Callee::Type(bytes.ty), &parts) }
}

/// The first of components that follow each other.
fn first_of_run(lanes: Lanes) -> Option<u8> {
    let all: Vec<u8> = lanes.iter().collect();
    all.windows(2).all(|pair| pair[1] == pair[0] + 1).then(|| all[0])
}

/// Writes a value to a place. Recursion: as [`load`].
pub(crate) fn store<L: Language>(l: &mut Lower<'_, '_, L>, bytes: &Bytes, value: Expr) -> Vec<Stmt> {
    let module = l.w.module;
    if is_part_of_word(l, bytes) {
        return vec![];
    }
    let count = match module.types[bytes.ty] {
        TypeKind::Scalar(scalar) => return store_vector(l, bytes, scalar, 1, value),
        TypeKind::Vector(scalar, n) => return store_vector(l, bytes, scalar, n, value),
        TypeKind::Matrix { columns, .. } => columns.into(),
        TypeKind::Array { len, .. } => len,
        TypeKind::Struct(ref s) => {
            let value = copied(l, value, bytes.ty);
            let mut stmts = vec![];
            for i in 0..s.members.len() as u32 {
                let member = field(l, bytes.clone(), i);
                let part = l.w.member(value, bytes.ty, i);
                stmts.extend(crate::transfers::stores(l, member, part));
            }
            return stmts;
        }
        _ => return vec![],
    };
    let value = copied(l, value, bytes.ty);
    let mut stmts = vec![];
    for i in 0..count {
        let part = part_of(l, bytes, Index::Const(i));
        let element = crate::places::element(l.w, value, Index::Const(i));
        stmts.extend(store(l, &part, element));
    }
    stmts
}

fn store_vector<L: Language>(l: &mut Lower<'_, '_, L>, bytes: &Bytes, scalar: Scalar, n: u8, value: Expr) -> Vec<Stmt> {
    let words = |w: &mut Writer<'_, L>, value: Expr, n: u8| match scalar {
        Scalar::Bool => {
            let ty = w.vector_type(Scalar::U32, n);
            w.tree.add(ExprKind::Cast(ty, value))
        }
        _ => L::to_words(w, value, scalar),
    };
    let step = bytes.step(scalar);
    let is_word = scalar_size(scalar) == 4;
    let run = bytes.lanes.map_or(Some(0), first_of_run).filter(|_| is_word && (n == 1 || step == 4));
    if let Some(first) = run {
        let value = words(l.w, value, n);
        let at = u32::from(first) * step;
        return vec![Stmt::Expr(L::store_words(l.w, bytes, at, n, value))];
    }
    let value = if n == 1 { value } else { copied(l, value, bytes.ty) };
    let lanes: Vec<u8> = bytes.lanes.map_or_else(|| (0..n).collect(), |lanes| lanes.iter().collect());
    let mut stmts = vec![];
    for (i, lane) in lanes.into_iter().enumerate() {
        let part = if n == 1 { value } else { l.swizzle(value, Lanes::new(&[i as u8])) };
        let at = u32::from(lane) * step;
        let store = if scalar.bits() == 16 {
            L::store_number(l.w, bytes, at, scalar, part)
        } else {
            let part = words(l.w, part, 1);
            L::store_words(l.w, bytes, at, if is_word { 1 } else { 2 }, part)
        };
        stmts.push(Stmt::Expr(store));
    }
    stmts
}

/// The length of an array that its buffer sizes.
pub(crate) fn array_length<L: Language>(l: &mut Lower<'_, '_, L>, bytes: &Bytes) -> Expr {
    let (module, span) = (l.w.module, l.span);
    let order = bytes.order;
    let layout = l.w.prepared.memory.layout(&module.types, bytes.ty, order.rule, order.row_major, span);
    let stride = layout.map_or(1, |layout| layout.stride.max(1));
    let mut size = L::byte_count(l.w, bytes);
    if bytes.known > 0 {
        let known = l.w.uint(bytes.known);
        size = l.w.tree.infix(Infix::Sub, size, known);
    }
    let stride = l.w.uint(stride);
    l.w.tree.infix(Infix::Div, size, stride)
}
