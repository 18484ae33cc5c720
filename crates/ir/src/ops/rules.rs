//! Type rules: which operand types an op takes, and what its results are.

use smallvec::{SmallVec, smallvec};

use super::explicit_rules::{check_explicit, check_memory_access, reference_result};
use super::simd_rules::infer_simd;
use super::subgroup_rules::{check_subgroup, infer_subgroup};
use super::texture_rules::infer_texture;
use super::{Class, Imm, Op};
use crate::entity::Type;
use crate::types::{AddressSpace, Scalar, TypeKind, Types};

/// A set of component types, with or without matrices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Domain(u8);

impl Domain {
    /// Scalars and vectors of floats.
    pub const FLOAT: Domain = Domain(1);
    /// Scalars and vectors of integers of 32 and 64 bits.
    pub const WORD: Domain = Domain(2);
    /// Scalars and vectors of integers.
    pub const INTEGER: Domain = Domain(2 | 16);
    /// Scalars and vectors of booleans.
    pub const BOOL: Domain = Domain(4);
    /// Matrices.
    pub const MATRIX: Domain = Domain(8);

    /// The union.
    pub const fn or(self, other: Domain) -> Domain {
        Domain(self.0 | other.0)
    }

    /// Whether the type is in it.
    pub fn contains(self, kind: &TypeKind) -> bool {
        let bit = match kind {
            TypeKind::Matrix { .. } => Domain::MATRIX,
            TypeKind::Scalar(s) | TypeKind::Vector(s, _) if s.is_small_integer() => Domain(16),
            TypeKind::Scalar(s) | TypeKind::Vector(s, _) if s.is_float() => Domain::FLOAT,
            TypeKind::Scalar(s) | TypeKind::Vector(s, _) if s.is_integer() => Domain::WORD,
            TypeKind::Scalar(_) | TypeKind::Vector(..) => Domain::BOOL,
            _ => return false,
        };
        self.0 & bit.0 != 0
    }
}

/// The type rule of an op. "Shape" is the number of components.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// So many operands of one type out of the domain; the result has it too.
    Same(Domain, u8),
    /// Two operands of one type; the result is `bool` in the same shape.
    Compare(Domain),
    /// One operand; the result is `bool` in the same shape.
    Test(Domain),
    /// So many float vectors (or scalars) of one type; the result is their component type.
    ToScalar(u8),
    /// A boolean vector (or scalar) to `bool`.
    ToBool,
    /// Exactly these operands, exactly this result.
    Fixed(&'static [Type], Type),
    /// A pointer to a number of any shape; the result is its pointee.
    Increment,
    /// A pointer to a runtime-sized array; the result is `i32`.
    ArrayLength,
    /// A growable array and an element.
    Append,
    /// A matrix; the result has rows and columns exchanged.
    Transpose,
    /// A square matrix; the result is its component type.
    Determinant,
    /// A square matrix; the result has its type.
    Square,
    /// An integer of any shape; 64-bit ones give their own type, others `i32` in that shape.
    BitQuery,
    /// `uvec2` to `f64`.
    PackDouble,
    /// `f64` to `uvec2`.
    UnpackDouble,
    /// Matrix and scalar of one component type.
    MatrixTimesScalar,
    /// Matrix and vector with as many components as it has columns.
    MatrixTimesVector,
    /// Vector with as many components as the matrix has rows, and the matrix.
    VectorTimesMatrix,
    /// Matrices where the first has as many columns as the second has rows.
    MatrixTimesMatrix,
    /// Two float vectors.
    OuterProduct,
    /// Integer of any shape, and an integer of the same shape, of either sign.
    Shift,
    /// Two float vectors of three.
    Cross,
    /// Float of any shape, and `i32` in that shape.
    Ldexp,
    /// Two values of one type without opaque parts; the result is `bool`.
    AggregateEqual,
    /// Two floats of one type, and their component type.
    Refract,
    /// Integer of any shape, `i32` offset, `i32` count.
    BitfieldExtract,
    /// Two integers of one type, `i32` offset, `i32` count.
    BitfieldInsert,
    /// Two 32-bit integers of one type and shape; two results of that type.
    TwoWords,
    /// Float of any shape; results: the same, and `i32` in that shape.
    Frexp,
    /// Float of any shape; two results of the same type.
    Modf,
    /// `bool` and two values of one type; or a boolean vector and two vectors of that size.
    Select,
    /// A scalar to another scalar type (explicit).
    ConvertScalar,
    /// A scalar to a vector (explicit).
    Splat,
    /// Scalars, vectors and matrices to a vector (explicit) with no more components than they have.
    VectorFromParts,
    /// A scalar to a matrix (explicit).
    MatrixFromScalar,
    /// A matrix to a matrix (explicit).
    MatrixFromMatrix,
    /// Scalars and vectors to a matrix (explicit) with as many components as they have.
    MatrixFromParts,
    /// The members' values to the struct (explicit).
    StructFromParts,
    /// The elements to the array (explicit).
    ArrayFromParts,
    /// Scalar or vector to another (explicit) of the same shape and width.
    Bitcast,
    /// Float scalar to an integer scalar of 32 or 64 bits (explicit).
    TruncateTrapping,
    /// Vector, immediate index.
    ExtractComponent,
    /// Vector, immediate swizzle.
    ExtractLanes,
    /// Vector, matrix or array, and an integer index of 32 or 64 bits.
    ExtractDynamic,
    /// Struct, immediate index.
    ExtractField,
    /// Vector, component, immediate index.
    InsertComponent,
    /// Vector, matrix or array, its part, and an integer index of 32 or 64 bits.
    InsertDynamic,
    /// Struct, member, immediate index.
    InsertField,
    /// Pointer to a vector, immediate index.
    AccessComponent,
    /// Pointer to a vector, immediate swizzle.
    AccessLanes,
    /// Pointer to a vector, matrix or array, and an integer index of 32 or 64 bits.
    AccessDynamic,
    /// Pointer to a struct, immediate index.
    AccessField,
    /// Pointer; the result is its pointee.
    Load,
    /// Pointer and its pointee; no result.
    Store,
    /// Pointer to a 32-bit or 64-bit scalar and its pointee; the result is the pointee.
    Atomic,
    /// As `Atomic` with two values.
    AtomicCompare,
    /// Pointer to an atomic counter; the result is `u32`.
    CounterLoad,
    /// Function and its arguments; its results.
    Call,
    /// `i32` and the arguments of the immediate's function type; its results.
    CallIndirect,
    /// Texture and sampler to the combined type.
    CombineSampler,
    /// Combined image, coordinate, and what the immediate announces; four components, or one for a comparison.
    TextureSample,
    /// Combined image, coordinate, and what the immediate announces; four components.
    TextureGather,
    /// Combined image or texture, integer coordinate, and what the immediate announces.
    TextureFetch,
    /// Combined image or texture, perhaps a level.
    TextureSize,
    /// Combined image and coordinate; the result is `vec2`.
    TextureQueryLod,
    /// Image; the result is `i32`.
    TextureCount,
    /// Storage image, integer coordinate, perhaps a sample; four components.
    ImageLoad,
    /// Storage image, integer coordinate, perhaps a sample, four components; no result.
    ImageStore,
    /// Storage image, integer coordinate, perhaps a sample, so many values; one component.
    ImageAtomic(u8),
    /// Storage image; the size.
    ImageSize,
    /// Pointer to an input and these; the pointee.
    Interpolate(&'static [Type]),
    /// Input attachment, perhaps a sample; four components.
    SubpassLoad,
    /// A value of any shape, and `u32`; the value's type.
    SubgroupMove,
    /// A value of any shape; `bool`.
    SubgroupAllEqual,
    /// `u64` address; a number or vector (explicit).
    ReferenceLoad,
    /// `u64` address, and a number or vector.
    ReferenceStore,
    /// `u64` address, and so many numbers; their type.
    ReferenceAtomic(u8),
    /// `i32` address; a scalar (explicit).
    MemoryLoad,
    /// `i32` address and a scalar.
    MemoryStore,
    /// `i32`; a reference (explicit).
    TableGet,
    /// `i32` and a reference.
    TableSet,
    /// A reference and `i32`; `i32`.
    TableGrow,
    /// `i32`, a reference, `i32`.
    TableFill,
    /// A function; `funcref`.
    RefFunc,
    /// A reference; `i32`.
    RefIsNull,
    /// So many 128-bit values; the same.
    Simd(u8),
    /// A 128-bit value; `i32`.
    SimdToI32,
    /// A 128-bit value and `i32`; the same.
    SimdShift,
    /// The scalar of the shape; a 128-bit value.
    SimdSplat,
    /// A number; a 128-bit value.
    SimdLow,
    /// A 128-bit value; the scalar of the shape.
    SimdExtract,
    /// A 128-bit value and the scalar of the shape; the same.
    SimdInsert,
    /// A token.
    NewToken,
    /// Two tokens; `bool`.
    TokenCompare,
    /// The parameters of the immediate's function type; its results.
    Custom,
}

impl Rule {
    /// Whether the result is the number of a bit, or of bits.
    pub const fn is_query(self) -> bool {
        matches!(self, Rule::BitQuery)
    }

    /// Whether the result type does not follow from the operands, so that the builder must be told.
    pub const fn needs_type(self) -> bool {
        matches!(
            self,
            Rule::ConvertScalar
                | Rule::Splat
                | Rule::VectorFromParts
                | Rule::MatrixFromScalar
                | Rule::MatrixFromMatrix
                | Rule::MatrixFromParts
                | Rule::StructFromParts
                | Rule::ArrayFromParts
                | Rule::Bitcast
                | Rule::TruncateTrapping
                | Rule::ReferenceLoad
                | Rule::MemoryLoad
                | Rule::TableGet
        )
    }
}

/// Why operands do not fit an op, in the words of the IR.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeError(pub String);

type Results = SmallVec<[Type; 2]>;

pub(super) fn error<T>(message: impl Into<String>) -> Result<T, TypeError> {
    Err(TypeError(message.into()))
}

/// The result types of `op` on operands of these types, or why they do not fit.
///
/// `explicit` is the wanted result type of ops whose [`Rule::needs_type`]; of others it is not read.
///
/// # Errors
/// [`TypeError`] if the operands do not fit.
pub fn infer(
    types: &mut Types,
    op: Op,
    imm: Imm,
    operands: &[Type],
    explicit: Option<Type>,
) -> Result<Results, TypeError> {
    let rule = op.info().rule;
    match rule {
        Rule::Call => return infer_call(types, operands),
        Rule::CallIndirect => {
            let (_, ty) = imm.as_table_type();
            let [index, args @ ..] = operands else { return error("needs an index") };
            expect(*index == Type::I32, "the index must be i32")?;
            return call_signature(types, ty, args);
        }
        Rule::Custom => return call_signature(types, imm.as_custom().1, operands),
        _ => {}
    }
    if op.info().class == Class::Subgroup {
        check_subgroup(types, operands)?;
    }
    let result = if rule.needs_type() {
        let Some(ty) = explicit else { return error("needs a result type") };
        check_explicit(types, rule, imm, operands, ty)?;
        ty
    } else {
        match rule {
            Rule::TwoWords | Rule::Modf | Rule::Frexp => return infer_two(types, rule, operands),
            _ => infer_one(types, rule, imm, operands)?,
        }
    };
    Ok(if result == Type::VOID { smallvec![] } else { smallvec![result] })
}

pub(super) fn expect(condition: bool, message: &str) -> Result<(), TypeError> {
    if condition { Ok(()) } else { error(message) }
}

pub(super) fn take<const N: usize>(operands: &[Type]) -> Result<[Type; N], TypeError> {
    operands.try_into().or_else(|_| error(format!("takes {N} operands, not {}", operands.len())))
}

fn infer_call(types: &Types, operands: &[Type]) -> Result<Results, TypeError> {
    let [callee, args @ ..] = operands else { return error("needs a callee") };
    call_signature(types, *callee, args)
}

fn call_signature(types: &Types, callee: Type, args: &[Type]) -> Result<Results, TypeError> {
    let TypeKind::Function { params, results } = &types[callee] else { return error("the callee is not a function") };
    expect(params.len() == args.len(), "wrong number of arguments")?;
    for (i, (p, a)) in params.iter().zip(args).enumerate() {
        if p != a {
            return error(format!("argument {i} has type {a}, the parameter {p}"));
        }
    }
    Ok(Results::from_slice(results))
}

pub(super) fn in_domain(types: &Types, domain: Domain, ty: Type) -> Result<(), TypeError> {
    expect(domain.contains(&types[ty]), "an operand has a type that the op does not take")
}

fn same(types: &Types, domain: Domain, count: u8, operands: &[Type]) -> Result<Type, TypeError> {
    if operands.len() != count as usize {
        return error(format!("takes {count} operands, not {}", operands.len()));
    }
    in_domain(types, domain, operands[0])?;
    expect(operands.iter().all(|t| *t == operands[0]), "the operands must have one type")?;
    Ok(operands[0])
}

fn integer_scalar(types: &Types, ty: Type) -> Result<(), TypeError> {
    match types[ty] {
        TypeKind::Scalar(_) if Domain::WORD.contains(&types[ty]) => Ok(()),
        _ => error("the index must be an integer scalar of 32 or 64 bits"),
    }
}

fn infer_two(types: &mut Types, rule: Rule, operands: &[Type]) -> Result<Results, TypeError> {
    Ok(match rule {
        Rule::TwoWords => {
            let ty = same(types, Domain::INTEGER, 2, operands)?;
            expect(types.scalar_of(ty).is_some_and(|s| s.bits() == 32), "needs 32-bit integers")?;
            smallvec![ty, ty]
        }
        Rule::Frexp => {
            let ty = same(types, Domain::FLOAT, 1, operands)?;
            smallvec![ty, types.with_scalar(ty, Scalar::I32)]
        }
        _ => {
            let ty = same(types, Domain::FLOAT, 1, operands)?;
            smallvec![ty, ty]
        }
    })
}

fn infer_one(types: &mut Types, rule: Rule, imm: Imm, operands: &[Type]) -> Result<Type, TypeError> {
    Ok(match rule {
        Rule::Same(domain, n) => same(types, domain, n, operands)?,
        Rule::Compare(domain) => {
            let ty = same(types, domain, 2, operands)?;
            types.with_scalar(ty, Scalar::Bool)
        }
        Rule::Test(domain) => {
            let ty = same(types, domain, 1, operands)?;
            types.with_scalar(ty, Scalar::Bool)
        }
        Rule::ToScalar(n) => {
            let ty = same(types, Domain::FLOAT, n, operands)?;
            component(types, ty)?
        }
        Rule::ToBool => {
            same(types, Domain::BOOL, 1, operands)?;
            Type::BOOL
        }
        Rule::Fixed(params, result) => {
            expect(operands == params, "the operands have the wrong types")?;
            result
        }
        Rule::Increment => {
            let [pointer] = take(operands)?;
            let pointee = writable(types, pointer)?;
            in_domain(types, Domain::FLOAT.or(Domain::INTEGER).or(Domain::MATRIX), pointee)?;
            pointee
        }
        Rule::ArrayLength => {
            let [pointer] = take(operands)?;
            let (pointee, _) = pointee(types, pointer)?;
            expect(matches!(types[pointee], TypeKind::RuntimeArray { .. }), "needs a runtime-sized array")?;
            Type::I32
        }
        Rule::AggregateEqual => {
            let [a, b] = take(operands)?;
            expect(a == b, "the operands must have one type")?;
            expect(!types.is_opaque(a) && types.part_count(a).is_some(), "needs matrices, arrays or structs")?;
            Type::BOOL
        }
        Rule::Select => {
            let [condition, a, b] = take(operands)?;
            expect(a == b, "both values must have one type")?;
            let fits = match types[condition] {
                TypeKind::Scalar(Scalar::Bool) => true,
                TypeKind::Vector(Scalar::Bool, n) => types.vector_size(a) == Some(n),
                _ => false,
            };
            expect(fits, "the condition must be bool, or a boolean vector of the values' size")?;
            a
        }
        Rule::Shift => {
            let [value, amount] = take(operands)?;
            in_domain(types, Domain::INTEGER, value)?;
            in_domain(types, Domain::INTEGER, amount)?;
            expect(types.vector_size(value) == types.vector_size(amount), "needs as many amounts as components")?;
            value
        }
        Rule::BitQuery => {
            let ty = same(types, Domain::INTEGER, 1, operands)?;
            if types.scalar_of(ty).is_some_and(|s| s.bits() == 64) { ty } else { types.with_scalar(ty, Scalar::I32) }
        }
        Rule::PackDouble => {
            expect(operands == [Type::UVEC2], "needs uvec2")?;
            types.scalar(Scalar::F64)
        }
        Rule::UnpackDouble => {
            let f64 = types.scalar(Scalar::F64);
            expect(operands == [f64], "needs f64")?;
            Type::UVEC2
        }
        Rule::Ldexp => {
            let [x, exponent] = take(operands)?;
            in_domain(types, Domain::FLOAT, x)?;
            expect(exponent == types.with_scalar(x, Scalar::I32), "the exponent must be i32 in the shape of x")?;
            x
        }
        Rule::Refract => {
            let [i, n, eta] = take(operands)?;
            let ty = same(types, Domain::FLOAT, 2, &[i, n])?;
            expect(component(types, ty)? == eta, "eta must be a scalar of the vectors' component type")?;
            ty
        }
        Rule::BitfieldExtract => {
            let [value, offset, bits] = take(operands)?;
            in_domain(types, Domain::INTEGER, value)?;
            expect(offset == Type::I32 && bits == Type::I32, "offset and count must be i32")?;
            value
        }
        Rule::BitfieldInsert => {
            let [base, insert, offset, bits] = take(operands)?;
            let ty = same(types, Domain::INTEGER, 2, &[base, insert])?;
            expect(offset == Type::I32 && bits == Type::I32, "offset and count must be i32")?;
            ty
        }
        Rule::Transpose
        | Rule::Determinant
        | Rule::Square
        | Rule::MatrixTimesScalar
        | Rule::MatrixTimesVector
        | Rule::VectorTimesMatrix
        | Rule::MatrixTimesMatrix
        | Rule::OuterProduct
        | Rule::Cross => infer_algebra(types, rule, operands)?,
        Rule::ExtractComponent
        | Rule::ExtractLanes
        | Rule::ExtractDynamic
        | Rule::ExtractField
        | Rule::InsertComponent
        | Rule::InsertDynamic
        | Rule::InsertField => infer_part(types, rule, imm, operands)?,
        Rule::AccessComponent | Rule::AccessLanes | Rule::AccessDynamic | Rule::AccessField => {
            let [pointer, rest @ ..] = operands else { return error("needs a pointer") };
            let (composite, space) = pointee(types, *pointer)?;
            let extract = match rule {
                Rule::AccessComponent => Rule::ExtractComponent,
                Rule::AccessLanes => Rule::ExtractLanes,
                Rule::AccessDynamic => Rule::ExtractDynamic,
                _ => Rule::ExtractField,
            };
            let operands: SmallVec<[Type; 2]> = std::iter::once(composite).chain(rest.iter().copied()).collect();
            let part = infer_part(types, extract, imm, &operands)?;
            types.pointer(part, space)
        }
        Rule::Load => {
            let [pointer] = take(operands)?;
            let (ty, _) = pointee(types, pointer)?;
            let sized = !types.contains(ty, &mut |k| matches!(k, TypeKind::RuntimeArray { .. }));
            expect(sized, "a runtime-sized array cannot be loaded whole")?;
            ty
        }
        Rule::Store => {
            let [pointer, value] = take(operands)?;
            expect(writable(types, pointer)? == value, "the value does not have the type of the memory location")?;
            Type::VOID
        }
        Rule::Append => {
            let [pointer, value] = take(operands)?;
            expect(types.growable(pointer) == Some(value), "needs a growable array of such values")?;
            Type::VOID
        }
        Rule::Atomic => {
            let [pointer, value] = take(operands)?;
            let ty = writable(types, pointer)?;
            expect(ty == value && is_atomic(types, ty), "needs a scalar and its pointer")?;
            ty
        }
        Rule::AtomicCompare => {
            let [pointer, compare, value] = take(operands)?;
            let ty = writable(types, pointer)?;
            expect(ty == value && ty == compare && is_atomic(types, ty), "needs scalars and a pointer")?;
            ty
        }
        Rule::CounterLoad => {
            let [pointer] = take(operands)?;
            expect(pointee(types, pointer)?.0 == Type::ATOMIC_COUNTER, "needs an atomic counter")?;
            Type::U32
        }
        Rule::Interpolate(rest) => {
            let [pointer, args @ ..] = operands else { return error("needs a pointer") };
            let (ty, space) = pointee(types, *pointer)?;
            expect(space == AddressSpace::Input, "needs a stage input")?;
            expect(args == rest, "the operands have the wrong types")?;
            in_domain(types, Domain::FLOAT, ty)?;
            ty
        }
        Rule::SubgroupMove | Rule::SubgroupAllEqual => infer_subgroup(types, rule, operands)?,
        Rule::ReferenceStore | Rule::ReferenceAtomic(_) => reference_result(types, rule, operands, imm)?,
        Rule::MemoryStore => {
            let [address, value] = take(operands)?;
            expect(address == Type::I32, "the address must be i32")?;
            check_memory_access(types, imm, value)?;
            Type::VOID
        }
        Rule::TableSet => {
            let [index, value] = take(operands)?;
            expect(index == Type::I32 && is_reference(types, value), "needs i32 and a reference")?;
            Type::VOID
        }
        Rule::TableGrow => {
            let [value, count] = take(operands)?;
            expect(count == Type::I32 && is_reference(types, value), "needs a reference and i32")?;
            Type::I32
        }
        Rule::TableFill => {
            let [index, value, count] = take(operands)?;
            let ok = index == Type::I32 && count == Type::I32 && is_reference(types, value);
            expect(ok, "needs i32, a reference and i32")?;
            Type::VOID
        }
        Rule::RefFunc => {
            let [function] = take(operands)?;
            expect(matches!(types[function], TypeKind::Function { .. }), "needs a function")?;
            types.intern(TypeKind::FuncRef)
        }
        Rule::RefIsNull => {
            let [reference] = take(operands)?;
            expect(is_reference(types, reference), "needs a reference")?;
            Type::I32
        }
        Rule::NewToken => {
            let [] = take(operands)?;
            types.intern(TypeKind::Token)
        }
        Rule::TokenCompare => {
            let token = types.intern(TypeKind::Token);
            expect(operands == [token, token], "needs two tokens")?;
            Type::BOOL
        }
        Rule::Simd(_)
        | Rule::SimdToI32
        | Rule::SimdShift
        | Rule::SimdSplat
        | Rule::SimdLow
        | Rule::SimdExtract
        | Rule::SimdInsert => infer_simd(types, rule, imm, operands)?,
        _ => infer_texture(types, rule, imm.as_texture(), operands)?,
    })
}

/// Whether atomic ops take it: scalars of less than 32 bits have none, booleans excepted.
fn is_atomic(types: &Types, ty: Type) -> bool {
    matches!(types[ty], TypeKind::Scalar(scalar) if scalar == Scalar::Bool || scalar.bits() >= 32)
}

pub(super) fn is_reference(types: &Types, ty: Type) -> bool {
    matches!(types[ty], TypeKind::FuncRef | TypeKind::ExternRef)
}

fn component(types: &mut Types, ty: Type) -> Result<Type, TypeError> {
    match types.scalar_of(ty) {
        Some(s) => Ok(types.scalar(s)),
        None => error("needs a scalar, vector or matrix"),
    }
}

fn pointee(types: &Types, ty: Type) -> Result<(Type, AddressSpace), TypeError> {
    types.pointee(ty).ok_or_else(|| TypeError("needs a pointer".into()))
}

fn writable(types: &Types, ty: Type) -> Result<Type, TypeError> {
    let (pointee, space) = pointee(types, ty)?;
    expect(!space.is_read_only(), "the memory may not be written")?;
    Ok(pointee)
}

fn infer_algebra(types: &mut Types, rule: Rule, operands: &[Type]) -> Result<Type, TypeError> {
    let kinds: SmallVec<[TypeKind; 2]> = operands.iter().map(|t| types[*t].clone()).collect();
    use TypeKind::{Matrix, Scalar as One, Vector};
    Ok(match (rule, kinds.as_slice()) {
        (Rule::Transpose, &[Matrix { scalar, columns, rows }]) => types.matrix(scalar, rows, columns),
        (Rule::Determinant, &[Matrix { scalar, columns, rows }]) if columns == rows => types.scalar(scalar),
        (Rule::Square, &[Matrix { columns, rows, .. }]) if columns == rows => operands[0],
        (Rule::MatrixTimesScalar, &[Matrix { scalar, .. }, One(s)]) if s == scalar => operands[0],
        (Rule::MatrixTimesVector, &[Matrix { scalar, columns, rows }, Vector(s, n)]) if (s, n) == (scalar, columns) => {
            types.vector(s, rows)
        }
        (Rule::VectorTimesMatrix, &[Vector(s, n), Matrix { scalar, columns, rows }]) if (s, n) == (scalar, rows) => {
            types.vector(s, columns)
        }
        (
            Rule::MatrixTimesMatrix,
            &[Matrix { scalar: a, columns: inner, rows }, Matrix { scalar: b, columns, rows: other }],
        ) if a == b && inner == other => types.matrix(a, columns, rows),
        (Rule::OuterProduct, &[Vector(a, rows), Vector(b, columns)]) if a == b && a.is_float() => {
            types.matrix(a, columns, rows)
        }
        (Rule::Cross, &[Vector(a, 3), Vector(b, 3)]) if a == b && a.is_float() => operands[0],
        _ => return error("the operands have the wrong types"),
    })
}

fn infer_part(types: &mut Types, rule: Rule, imm: Imm, operands: &[Type]) -> Result<Type, TypeError> {
    let Some(&composite) = operands.first() else { return error("needs a composite") };
    let fits = match rule {
        Rule::ExtractComponent | Rule::ExtractLanes | Rule::InsertComponent => {
            matches!(types[composite], TypeKind::Vector(..))
        }
        Rule::ExtractField | Rule::InsertField => matches!(types[composite], TypeKind::Struct(_)),
        _ => matches!(
            types[composite],
            TypeKind::Vector(..) | TypeKind::Matrix { .. } | TypeKind::Array { .. } | TypeKind::RuntimeArray { .. }
        ),
    };
    expect(fits, "operand 0 has no such parts")?;
    match rule {
        Rule::ExtractLanes => {
            let [_] = take(operands)?;
            let lanes = imm.as_lanes();
            let size = types.vector_size(composite).unwrap_or(0);
            expect(!lanes.is_empty() && lanes.len() <= 4 && lanes.iter().all(|l| l < size), "no such component")?;
            let scalar = types.scalar_of(composite).expect("checked to be a vector");
            Ok(types.vector(scalar, lanes.len() as u8))
        }
        Rule::ExtractComponent | Rule::ExtractField => {
            let [_] = take(operands)?;
            types.part(composite, imm.as_index()).ok_or_else(|| TypeError("no such part".into()))
        }
        Rule::InsertComponent | Rule::InsertField => {
            let [_, value] = take(operands)?;
            let part = types.part(composite, imm.as_index());
            expect(part == Some(value), "the value does not have the type of the part")?;
            Ok(composite)
        }
        Rule::ExtractDynamic => {
            let [_, index] = take(operands)?;
            integer_scalar(types, index)?;
            types.part(composite, 0).ok_or_else(|| TypeError("no such part".into()))
        }
        _ => {
            let [_, value, index] = take(operands)?;
            integer_scalar(types, index)?;
            expect(types.part(composite, 0) == Some(value), "the value does not have the type of the part")?;
            Ok(composite)
        }
    }
}
