//! Memory that the host shares. Its offsets and strides are those of the source, and it holds no booleans; a [`Mem`]
//! describes the difference from the value, and `places.rs` converts at loads and stores.
//!
//! ```text
//! struct of the source (std140)          struct in memory
//! bool on; float a[3]; mat2 m;           on: u32, a: array<vec4f, 3>, m: array<vec4f, 2>
//! ```

use std::sync::Arc;

use planish_interface::{Atomics, ELEMENT, describe};
use planish_ir::decoration::{Decoration, Decorations, Precision};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::layout::{Layout, LayoutError, Layouts, Rule, scalar_size};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Member, Scalar, StructType, TypeKind, Types};
use rustc_hash::FxHashMap;

use crate::bytes::Order;

/// A failure: one diagnostic.
pub type Res<T> = Result<T, Box<Diagnostic>>;

/// A failure with a code and a place.
pub fn fail<T>(code: Code, span: Span, message: impl Into<String>) -> Res<T> {
    Err(Box::new(Diagnostic::error(code, span, message)))
}

/// Memory in a language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryRules {
    /// The language, in messages.
    pub language: &'static str,
    /// Size of a vector of three, in components: 3, or 4.
    pub lanes_of_three: u32,
    /// There are vectors with the alignment of their components ([`packed_of`]).
    pub packed: bool,
}

/// Id of a description of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemId(u32);

impl MemId {
    /// A member that is not placed yet.
    pub(crate) const NONE: MemId = MemId(0);
}

/// A piece of memory.
#[derive(Clone, Debug)]
pub struct Mem {
    /// The type of the value in it.
    pub value: Type,
    /// Its own type.
    pub ty: Type,
    /// Relation to the value in it.
    pub kind: MemKind,
}

/// Difference between memory and the value in it.
#[allow(missing_docs, reason = "the fields of a variant are described with it")]
#[derive(Clone, Debug)]
pub enum MemKind {
    /// None.
    Plain,
    /// Booleans as words, 0 for false.
    Bool,
    /// An atomic integer.
    Atomic,
    /// A scalar or vector in the first components of a vector of 16 bytes (of words, for booleans).
    Widened,
    /// A vector with the alignment of its components (of words, for booleans).
    Packed,
    /// The first member of a struct that fills up a stride.
    Boxed(MemId),
    /// A matrix as an array of its columns, or its rows.
    Matrix { row_major: bool, part: MemId, count: u32 },
    /// An array.
    Array(MemId),
    /// A struct; for each member of the value its number and kind in memory.
    Struct(Vec<(u32, MemId)>),
    /// Bytes of this layout; `in_vectors`: in an array of vectors of four words, the only member of a struct.
    Bytes { order: Order, in_vectors: bool, written: bool },
}

/// The type `atomic<i32>` or `atomic<u32>`: a pointer into the space of handles, which no memory holds.
fn atomic_type(types: &mut Types, scalar: Type) -> Type {
    types.pointer(scalar, AddressSpace::Handle)
}

/// The integer of a type of [`atomic_type`].
pub fn atomic_of(types: &Types, ty: Type) -> Option<Type> {
    match types[ty] {
        TypeKind::Pointer { pointee, space: AddressSpace::Handle } if is_scalar(types, pointee) => Some(pointee),
        _ => None,
    }
}

/// The type of a vector with the alignment of its components: a pointer to it in the space of handles.
fn packed_type(types: &mut Types, vector: Type) -> Type {
    types.pointer(vector, AddressSpace::Handle)
}

/// The vector of a type of packed ones.
pub fn packed_of(types: &Types, ty: Type) -> Option<Type> {
    match types[ty] {
        TypeKind::Pointer { pointee, space: AddressSpace::Handle } if is_vector(types, pointee) => Some(pointee),
        _ => None,
    }
}

fn is_scalar(types: &Types, ty: Type) -> bool {
    matches!(types[ty], TypeKind::Scalar(_))
}

fn is_vector(types: &Types, ty: Type) -> bool {
    matches!(types[ty], TypeKind::Vector(..))
}

/// All kinds of memory of one module.
pub struct Memory {
    rules: MemoryRules,
    mems: Vec<Mem>,
    known: FxHashMap<(Type, Option<Rule>, bool), MemId>,
    sizes: FxHashMap<Type, (u32, u32)>,
    layouts: Vec<Layouts>,
    /// Sizes of members that are larger than their types, in bytes.
    pub member_sizes: FxHashMap<(Type, u32), u32>,
    /// Members of constant buffers that are matrices or arrays of them: whether they lie by rows.
    pub matrix_orders: FxHashMap<(Type, u32), bool>,
    /// Ends of structs of constant buffers, in bytes.
    pub(crate) struct_ends: FxHashMap<Type, u32>,
    /// Whether memory that the host shares is in [registers](crate::registers).
    pub(crate) in_registers: bool,
}

const fn power_of_two_lanes(n: u32) -> u32 {
    if n == 3 { 4 } else { n }
}

impl Memory {
    /// No memory.
    pub fn new(rules: MemoryRules) -> Memory {
        Memory {
            rules,
            mems: vec![],
            known: FxHashMap::default(),
            sizes: FxHashMap::default(),
            layouts: vec![],
            member_sizes: FxHashMap::default(),
            matrix_orders: FxHashMap::default(),
            struct_ends: FxHashMap::default(),
            in_registers: false,
        }
    }

    /// A piece of memory.
    pub fn get(&self, id: MemId) -> &Mem {
        &self.mems[id.0 as usize]
    }

    pub(crate) fn add(&mut self, mem: Mem) -> MemId {
        self.mems.push(mem);
        MemId(self.mems.len() as u32 - 1)
    }

    /// Whether values are stored as they are, in the parts of it.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    pub fn is_simple(&self, id: MemId) -> bool {
        match &self.get(id).kind {
            MemKind::Plain => true,
            MemKind::Array(element) => self.is_simple(*element),
            MemKind::Struct(members) => members.iter().all(|m| self.is_simple(m.1)),
            _ => false,
        }
    }

    /// Size and alignment of a type as the language lays it out, in bytes.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    pub fn size_align(&mut self, types: &Types, ty: Type) -> (u32, u32) {
        if let Some(&known) = self.sizes.get(&ty) {
            return known;
        }
        let width = |s: Scalar| if s == Scalar::Bool { 4 } else { s.bits() / 8 };
        let figures = match &types[ty] {
            TypeKind::Scalar(s) => (width(*s), width(*s)),
            TypeKind::Vector(s, n) => {
                let lanes = if *n == 3 { self.rules.lanes_of_three } else { u32::from(*n) };
                (lanes * width(*s), power_of_two_lanes((*n).into()) * width(*s))
            }
            TypeKind::Pointer { pointee, .. } if packed_of(types, ty).is_some() => {
                let size = types.scalar_of(*pointee).map_or(4, width);
                (types.vector_size(*pointee).map_or(1, u32::from) * size, size)
            }
            TypeKind::Matrix { scalar, columns, rows } => {
                let column = power_of_two_lanes((*rows).into()) * width(*scalar);
                (u32::from(*columns) * column, column)
            }
            TypeKind::Array { element, len } => {
                let (size, align) = self.size_align(types, *element);
                (size.next_multiple_of(align).saturating_mul(*len), align)
            }
            TypeKind::RuntimeArray { element } => {
                let (size, align) = self.size_align(types, *element);
                (size.next_multiple_of(align), align)
            }
            TypeKind::Struct(s) => {
                let (mut end, mut most) = (0u32, 1);
                for (i, member) in s.members.iter().enumerate() {
                    let (size, align) = self.size_align(types, member.ty);
                    let size = self.member_sizes.get(&(ty, i as u32)).copied().unwrap_or(size);
                    end = end.next_multiple_of(align).saturating_add(size);
                    most = most.max(align);
                }
                (end.next_multiple_of(most), most)
            }
            _ => (4, 4),
        };
        self.sizes.insert(ty, figures);
        figures
    }

    /// The offset of a member of a struct, in bytes.
    pub fn offset_of(&mut self, types: &Types, ty: Type, member: u32) -> u32 {
        let Some(s) = types.as_struct(ty) else { return 0 };
        let mut end = 0u32;
        for (i, m) in s.members.iter().enumerate() {
            let (size, align) = self.size_align(types, m.ty);
            let start = end.next_multiple_of(align);
            if i as u32 == member {
                return start;
            }
            end = start.saturating_add(self.member_sizes.get(&(ty, i as u32)).copied().unwrap_or(size));
        }
        end
    }

    pub(crate) fn layout(
        &mut self,
        types: &Types,
        ty: Type,
        rule: Rule,
        row_major: bool,
        span: Span,
    ) -> Res<Arc<Layout>> {
        let at = match self.layouts.iter().position(|l| l.rule() == rule) {
            Some(at) => at,
            None => {
                self.layouts.push(Layouts::new(rule));
                self.layouts.len() - 1
            }
        };
        self.layouts[at].get(types, ty, row_major).or_else(|e| match e {
            LayoutError::Opaque(t) => {
                let what = describe(&types[t]);
                fail(Code::E0606, span, format!("{what} has no place in memory that the host shares"))
            }
            LayoutError::TooLarge(_) => fail(Code::E0606, span, e.to_string()),
        })
    }

    /// Memory of a type: by the rule of the host, if it shares it, and with atomics.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    pub fn build(
        &mut self,
        types: &mut Types,
        ty: Type,
        rule: Option<Rule>,
        row_major: bool,
        atomics: Option<&Atomics>,
        span: Span,
    ) -> Res<MemId> {
        let key = (ty, rule, row_major);
        if atomics.is_none()
            && let Some(&known) = self.known.get(&key)
        {
            return Ok(known);
        }
        let (ty_of_memory, kind) = match (rule, atomics) {
            (None, None) => (ty, MemKind::Plain),
            _ => self.work_out(types, ty, rule, row_major, atomics, span)?,
        };
        let id = self.add(Mem { value: ty, ty: ty_of_memory, kind });
        if atomics.is_none() {
            self.known.insert(key, id);
        }
        Ok(id)
    }

    /// Memory that is addressed by bytes.
    pub(crate) fn bytes(&mut self, ty: Type, order: Order, written: bool) -> MemId {
        self.add(Mem { value: ty, ty: Type::U32, kind: MemKind::Bytes { order, in_vectors: false, written } })
    }

    /// Memory that is read as an array of vectors of four words.
    pub(crate) fn vectors(&mut self, types: &mut Types, ty: Type, order: Order, span: Span) -> Res<MemId> {
        let size = self.layout(types, ty, order.rule, order.row_major, span)?.size;
        let words = types.vector(Scalar::U32, 4);
        let array = types.array(words, size.div_ceil(16));
        let name = types.as_struct(ty).map_or_else(|| "Words".into(), |s| s.name.clone());
        let (precision, decorations) = (Precision::None, Decorations::new());
        let member = Member { name: "words".into(), ty: array, precision, decorations };
        let shape = StructType { name, members: vec![member], is_block: false };
        let own = types.intern(TypeKind::Struct(Arc::new(shape)));
        Ok(self.add(Mem { value: ty, ty: own, kind: MemKind::Bytes { order, in_vectors: true, written: false } }))
    }

    /// Memory that no host shares: as the value.
    pub fn plain(&mut self, ty: Type) -> MemId {
        if let Some(&known) = self.known.get(&(ty, None, false)) {
            return known;
        }
        let id = self.add(Mem { value: ty, ty, kind: MemKind::Plain });
        self.known.insert((ty, None, false), id);
        id
    }

    fn work_out(
        &mut self,
        types: &mut Types,
        ty: Type,
        rule: Option<Rule>,
        row_major: bool,
        atomics: Option<&Atomics>,
        span: Span,
    ) -> Res<(Type, MemKind)> {
        if self.in_registers {
            // Its atomics are plain integers.
            return match rule {
                Some(rule) => self.in_registers(types, ty, rule, row_major, span),
                None => Ok((ty, MemKind::Plain)),
            };
        }
        let kind = types[ty].clone();
        if atomics.is_some_and(|a| a.here) {
            let TypeKind::Scalar(_) = kind else { return fail(Code::E0604, span, "atomics work on scalars") };
            return Ok((atomic_type(types, ty), MemKind::Atomic));
        }
        match kind {
            TypeKind::Scalar(Scalar::Bool) | TypeKind::Vector(Scalar::Bool, _) if rule.is_some() => {
                let n = types.vector_size(ty).unwrap_or(1);
                Ok((types.vector(Scalar::U32, n), MemKind::Bool))
            }
            TypeKind::Matrix { .. } if rule.is_some() => self.matrix(types, ty, rule, row_major, span),
            TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } => {
                self.array(types, ty, element, rule, row_major, atomics, span)
            }
            TypeKind::Struct(s) => self.structure(types, ty, &s, rule, row_major, atomics, span),
            _ => Ok((ty, MemKind::Plain)),
        }
    }

    fn matrix(
        &mut self,
        types: &mut Types,
        ty: Type,
        rule: Option<Rule>,
        row_major: bool,
        span: Span,
    ) -> Res<(Type, MemKind)> {
        let (TypeKind::Matrix { scalar, columns, rows }, Some(rule)) = (types[ty].clone(), rule) else {
            return Ok((ty, MemKind::Plain));
        };
        let stride = self.layout(types, ty, rule, row_major, span)?.stride;
        let (count, size) = if row_major { (rows, columns) } else { (columns, rows) };
        let vector = types.vector(scalar, size);
        let (_, align) = self.size_align(types, vector);
        if !row_major && stride == align {
            return Ok((ty, MemKind::Plain));
        }
        let part = self.part(types, vector, vector, stride, span)?;
        let array = types.array(self.get(part).ty, count.into());
        Ok((array, MemKind::Matrix { row_major, part, count: count.into() }))
    }

    /// A scalar or vector, an element of an array of that stride in bytes.
    fn part(&mut self, types: &mut Types, ty: Type, natural: Type, stride: u32, span: Span) -> Res<MemId> {
        let (size, align) = self.size_align(types, natural);
        let Some(s) = types.scalar_of(ty) else { return fail(Code::E0606, span, "a vector was expected") };
        let is_bool = s == Scalar::Bool;
        if stride == size.next_multiple_of(align) {
            let kind = if is_bool { MemKind::Bool } else { MemKind::Plain };
            return Ok(self.add(Mem { value: ty, ty: natural, kind }));
        }
        if let Some(packed) = self.packed(types, ty, natural)
            && self.size_align(types, self.get(packed).ty).0 == stride
        {
            return Ok(packed);
        }
        if scalar_size(s) < 4 && stride > size {
            let part = self.add(Mem { value: ty, ty: natural, kind: MemKind::Plain });
            return Ok(self.boxed(types, ty, part, stride));
        }
        let lanes = 16 / scalar_size(s);
        if stride != 16 || lanes > 4 || types.vector_size(ty).is_none_or(|n| u32::from(n) > lanes) {
            let name = self.rules.language;
            return fail(Code::E0606, span, format!("{name} cannot place this every {stride} bytes"));
        }
        let wide = types.vector(if is_bool { Scalar::U32 } else { s }, lanes as u8);
        Ok(self.add(Mem { value: ty, ty: wide, kind: MemKind::Widened }))
    }

    /// The packed form of a vector, if there is one.
    fn packed(&mut self, types: &mut Types, value: Type, natural: Type) -> Option<MemId> {
        if !self.rules.packed || !is_vector(types, natural) {
            return None;
        }
        let ty = packed_type(types, natural);
        Some(self.add(Mem { value, ty, kind: MemKind::Packed }))
    }

    /// An element of an array of that stride in bytes, which no vector fills.
    fn boxed(&mut self, types: &mut Types, ty: Type, part: MemId, stride: u32) -> MemId {
        let inner = self.get(part).ty;
        let member =
            Member { name: "value".into(), ty: inner, precision: Precision::None, decorations: Decorations::new() };
        let shape = StructType { name: "Padded".into(), members: vec![member], is_block: false };
        let shell = types.intern(TypeKind::Struct(Arc::new(shape)));
        self.member_sizes.insert((shell, 0), stride);
        self.add(Mem { value: ty, ty: shell, kind: MemKind::Boxed(part) })
    }

    fn array(
        &mut self,
        types: &mut Types,
        ty: Type,
        element: Type,
        rule: Option<Rule>,
        row_major: bool,
        atomics: Option<&Atomics>,
        span: Span,
    ) -> Res<(Type, MemKind)> {
        let atomics = atomics.and_then(|a| a.parts.get(&ELEMENT));
        let mut part = self.build(types, element, rule, row_major, atomics, span)?;
        if let Some(rule) = rule {
            let stride = self.layout(types, ty, rule, row_major, span)?.stride;
            let natural = self.get(part).ty;
            let (size, align) = self.size_align(types, natural);
            if stride != size.next_multiple_of(align) {
                if types.vector_size(element).is_none() {
                    let name = self.rules.language;
                    return fail(Code::E0606, span, format!("{name} cannot place elements every {stride} bytes"));
                }
                part = match self.get(part).kind {
                    MemKind::Atomic => self.boxed(types, element, part, stride),
                    _ => self.part(types, element, natural, stride, span)?,
                };
            }
        }
        let inner = self.get(part).ty;
        let own = match types[ty] {
            TypeKind::Array { len, .. } => {
                check_length(self.size_align(types, inner).0, len, span)?;
                types.array(inner, len)
            }
            _ => types.intern(TypeKind::RuntimeArray { element: inner }),
        };
        let is_plain = own == ty && matches!(self.get(part).kind, MemKind::Plain);
        Ok((own, if is_plain { MemKind::Plain } else { MemKind::Array(part) }))
    }

    fn structure(
        &mut self,
        types: &mut Types,
        ty: Type,
        s: &StructType,
        rule: Option<Rule>,
        row_major: bool,
        atomics: Option<&Atomics>,
        span: Span,
    ) -> Res<(Type, MemKind)> {
        if s.members.is_empty() {
            return fail(Code::E0602, span, format!("the struct `{}` has no members", s.name));
        }
        let layout = match rule {
            Some(rule) => Some(self.layout(types, ty, rule, row_major, span)?),
            None => None,
        };
        let mut order: Vec<usize> = (0..s.members.len()).collect();
        if let Some(layout) = &layout {
            order.sort_by_key(|&i| layout.members[i].offset);
        }
        let mut shape = Shape { members: vec![], starts: vec![], sizes: vec![], end: 0, align: 1, moved: false };
        let mut members = vec![(0, MemId(0)); s.members.len()];
        let (mut same, mut open) = (!s.is_block && order.is_sorted(), false);
        for (at, &i) in order.iter().enumerate() {
            let member = &s.members[i];
            let by_rows = layout.as_ref().is_some_and(|l| l.members[i].row_major);
            let mut part =
                self.build(types, member.ty, rule, by_rows, atomics.and_then(|a| a.parts.get(&(i as u32))), span)?;
            let offset = layout.as_ref().map(|l| l.members[i].offset);
            if let Some(layout) = &layout {
                let next = order.get(at + 1).map_or(layout.size, |&n| layout.members[n].offset);
                part = self.fitted(types, part, layout.members[i].offset, next);
            }
            let inner = self.get(part).ty;
            let figures = self.size_align(types, inner);
            let number = shape.add(Member { ty: inner, ..member.clone() }, figures, offset);
            let Some(number) = number else {
                let name = self.rules.language;
                return fail(Code::E0606, span, format!("{name} cannot place the member `{}` there", member.name));
            };
            members[i] = (number, part);
            same &= matches!(self.get(part).kind, MemKind::Plain);
            open |= matches!(types[member.ty], TypeKind::RuntimeArray { .. });
        }
        if let Some(layout) = &layout
            && !open
            && rule != Some(Rule::Scalar)
        {
            shape.end_at(layout.size);
        }
        if same && !shape.moved {
            return Ok((ty, MemKind::Plain));
        }
        let sizes = shape.sizes.clone();
        let own = shape.finish(types, s.name.clone());
        for (i, size) in sizes.into_iter().enumerate() {
            size.into_iter().for_each(|size| {
                self.member_sizes.insert((own, i as u32), size);
            });
        }
        Ok((own, MemKind::Struct(members)))
    }
}

impl Memory {
    /// A member, packed if it does not fit between its offset and the next one otherwise.
    fn fitted(&mut self, types: &mut Types, part: MemId, offset: u32, next: u32) -> MemId {
        let Mem { value, ty, kind } = self.get(part).clone();
        let (size, align) = self.size_align(types, ty);
        if (offset.is_multiple_of(align) && offset.saturating_add(size) <= next)
            || !matches!(kind, MemKind::Plain | MemKind::Bool)
        {
            return part;
        }
        self.packed(types, value, ty).unwrap_or(part)
    }
}

/// Refuses arrays that are empty or larger than 2 GiB.
pub fn check_length(size: u32, len: u32, span: Span) -> Res<()> {
    if len == 0 || u64::from(len) * u64::from(size) >= i32::MAX as u64 {
        return fail(Code::E0602, span, "the array is empty or larger than 2 GiB");
    }
    Ok(())
}

/// A struct that is being filled.
struct Shape {
    members: Vec<Member>,
    /// Offset of each member.
    starts: Vec<u32>,
    /// Sizes of members that are larger than their types.
    sizes: Vec<Option<u32>>,
    end: u32,
    align: u32,
    /// Whether anything is elsewhere than the language would lay it out.
    moved: bool,
}

impl Shape {
    /// Adds a member, at `offset` if that is given; `None` if it cannot lie there.
    /// Recursion: one level, for a member before the first.
    fn add(&mut self, member: Member, (size, align): (u32, u32), offset: Option<u32>) -> Option<u32> {
        let natural = self.end.next_multiple_of(align);
        let offset = offset.unwrap_or(natural);
        if !offset.is_multiple_of(align) || offset < self.end {
            return None;
        }
        if offset > natural {
            if self.members.is_empty() {
                if offset < 4 {
                    return None;
                }
                let (name, precision, decorations) = ("pad".into(), Precision::None, Decorations::new());
                self.add(Member { name, ty: Type::U32, precision, decorations }, (4, 4), Some(0));
            }
            self.extend(offset);
        }
        self.members.push(member);
        self.starts.push(offset);
        self.sizes.push(None);
        self.end = offset.saturating_add(size);
        self.align = self.align.max(align);
        Some(self.members.len() as u32 - 1)
    }

    /// Makes the last member so large that the next one may begin at `offset`. Its type is another then: structs that differ
    /// only in such sizes have different decorations.
    fn extend(&mut self, offset: u32) {
        let (Some(start), Some(size), Some(last)) =
            (self.starts.last(), self.sizes.last_mut(), self.members.last_mut())
        else {
            return;
        };
        *size = Some(offset - start);
        last.decorations.add(Decoration::Align(offset - start));
        self.moved = true;
        self.end = offset;
    }

    /// Fills up to a size.
    fn end_at(&mut self, size: u32) {
        if self.end.next_multiple_of(self.align) < size {
            self.extend(size);
        }
    }

    fn finish(self, types: &mut Types, name: Arc<str>) -> Type {
        let shape = StructType { name, members: self.members, is_block: false };
        types.intern(TypeKind::Struct(Arc::new(shape)))
    }
}
