//! Vectors: swizzles, constructors, extraction and insertion, seen as lists of lanes.

use planish_ir::entity::{Type, Value};
use planish_ir::ops::{COMPONENTWISE, Imm, Lanes, Op};
use planish_ir::types::{MAX_LANGUAGE_VECTOR, TypeKind};
use smallvec::SmallVec;

use super::Law::Exact;
use super::{Rule, Site, rule};

const EXTRACT: &[Op] = &[Op::ExtractVectorComponent];
const SWIZZLE: &[Op] = &[Op::ExtractVectorComponentMulti];
const CONSTRUCT: &[Op] = &[Op::ConstructVectorFromMultiple];
const INSERT: &[Op] = &[Op::InsertVectorComponent];
const ACCESS_SWIZZLE: &[Op] = &[Op::AccessVectorComponentMulti];

/// The rules.
pub(super) static RULES: &[Rule] = &[
    rule("dynamic_extract_constant", &[Op::ExtractVectorComponentDynamic], Exact, "v[c] → v.x (c constant)", |s| {
        let index = constant_index(s, 1)?;
        Some(s.make_imm(Op::ExtractVectorComponent, Imm::index(index), &[s.arg(0)]))
    }),
    rule(
        "dynamic_insert_constant",
        &[Op::InsertVectorComponentDynamic],
        Exact,
        "v with v[c] = x → v with v.x = x (c constant)",
        |s| {
            let index = constant_index(s, 2)?;
            Some(s.make_imm(Op::InsertVectorComponent, Imm::index(index), &[s.arg(0), s.arg(1)]))
        },
    ),
    rule("dynamic_extract_inserted", &[Op::ExtractVectorComponentDynamic], Exact, "(v with v[i] = x)[i] → x", |s| {
        let (v, i) = s.pair();
        let (_, x, j) = s.ternary(v, Op::InsertVectorComponentDynamic)?;
        (i == j).then_some(x)
    }),
    rule("dynamic_extract_uniform", &[Op::ExtractVectorComponentDynamic], Exact, "vector(x)[i] → x", |s| {
        let v = s.arg(0);
        if let Some(bits) = s.uniform_bits(v) {
            return Some(s.splat(s.ty(), bits));
        }
        splat_of(s, v)
    }),
    rule("extract_lane", EXTRACT, Exact, "v.zy.x → v.z, vector(a, b).y → b, (v with v.x = a).x → a", |s| {
        let v = s.arg(0);
        let lanes = lanes_of(s, v)?;
        let lane = lanes[s.imm().as_index() as usize];
        match lane {
            Lane { scalar: Some(x), .. } => Some(x),
            Lane { of: Some((w, i)), .. } if w != v => {
                Some(s.make_imm(Op::ExtractVectorComponent, Imm::index(i.into()), &[w]))
            }
            _ => None,
        }
    }),
    rule("extract_of_op", EXTRACT, Exact, "(vector(a, b) * c).y → b * c.y (lanes at hand)", extract_of_op),
    rule("swizzle_lanes", SWIZZLE, Exact, "v.xyz → v, v.yx.yx → v, vector(a, b).yx → vector(b, a)", |s| {
        let v = s.arg(0);
        if s.imm().as_lanes().is_prefix() && s.imm().as_lanes().len() == usize::from(s.size_of(v)) {
            return Some(v);
        }
        let lanes = lanes_of(s, v)?;
        let wanted: Wanted = s.imm().as_lanes().iter().map(|l| lanes[l as usize]).collect();
        rebuild(s, &wanted)
    }),
    rule(
        "construct_constants",
        &[Op::ConstructVectorFromMultiple, Op::ConstructMatrixFromMultiple],
        Exact,
        "vector(x, 1) → vector(x, 1.0) (x of any type, the vector of floats, say)",
        construct_constants,
    ),
    rule(
        "construct_lanes",
        CONSTRUCT,
        Exact,
        "vector(v.x, v.y) → v.xy, vector(a, a) → vector(a), vector(vector(a, b), c) → vector(a, b, c)",
        construct_lanes,
    ),
    rule("insert_lanes", INSERT, Exact, "vector(a, b) with .x = c → vector(c, b), v with v.x = v.y → v.yy", |s| {
        let (v, x) = s.pair();
        let mut lanes = lanes_of(s, v)?;
        lanes[s.imm().as_index() as usize] = lane_of(s, x);
        rebuild(s, &lanes)
    }),
    rule("insert_twice", INSERT, Exact, "(v with v.x = a) with .x = b → v with v.x = b", |s| {
        let (inner, x) = s.pair();
        let (op, imm, args) = s.def(inner)?;
        if op != Op::InsertVectorComponent || imm != s.imm() {
            return None;
        }
        let v = args[0];
        Some(s.make_imm(Op::InsertVectorComponent, imm, &[v, x]))
    }),
    rule(
        "op_on_splats",
        COMPONENTWISE,
        Exact,
        "vector(a) * vector(b) → vector(a * b), vector(a) * c → vector(a * c)",
        op_on_splats,
    ),
    rule(
        "select_of_splats",
        &[Op::Select],
        Exact,
        "select(c, vector(a), vector(b)) → vector(select(c, a, b))",
        select_of_splats,
    ),
    rule("access_identity", ACCESS_SWIZZLE, Exact, "&v.xyz → &v", |s| {
        let lanes = s.imm().as_lanes();
        let (pointee, _) = s.b.module.types.pointee(s.type_of(s.arg(0)))?;
        let whole = s.b.module.types.vector_size(pointee) == Some(lanes.len() as u8);
        (whole && lanes.is_prefix()).then(|| s.arg(0))
    }),
    rule("access_of_access", &[Op::AccessVectorComponent], Exact, "&(&v.zy).x → &v.z", |s| {
        let (Op::AccessVectorComponentMulti, imm, &[v]) = s.def(s.arg(0))? else { return None };
        let lane = imm.as_lanes().get(s.imm().as_index() as usize);
        Some(s.make_imm(Op::AccessVectorComponent, Imm::index(lane.into()), &[v]))
    }),
    rule("access_constant", &[Op::AccessVectorComponentDynamic], Exact, "&v[c] → &v.x (c constant)", |s| {
        let bits = s.uniform_bits(s.arg(1))?;
        let (pointee, _) = s.b.module.types.pointee(s.type_of(s.arg(0)))?;
        let index = planish_ir::meaning::clamp_index(bits, s.b.module.types.part_count(pointee)?);
        Some(s.make_imm(Op::AccessVectorComponent, Imm::index(index), &[s.arg(0)]))
    }),
];

/// A constant index (operand number `operand`) into the vector that is operand 0.
fn constant_index(s: &Site<'_, '_, '_>, operand: usize) -> Option<u32> {
    let bits = s.uniform_bits(s.arg(operand))?;
    let count = s.b.module.types.part_count(s.type_of(s.arg(0)))?;
    Some(planish_ir::meaning::clamp_index(bits, count))
}

/// A component of a vector, if its definition gives it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Lane {
    /// The value that it is, if there is one already.
    scalar: Option<Value>,
    /// The vector it is a component of, and which.
    of: Option<(Value, u8)>,
}

type Wanted = SmallVec<[Lane; 4]>;

/// The scalar that all components of a vector are, if its node is a splat (without a conversion).
fn splat_of(s: &Site<'_, '_, '_>, v: Value) -> Option<Value> {
    let x = s.unary(v, Op::ConstructVectorFromScalar)?;
    (s.scalar_of(x) == s.scalar_of(v)).then_some(x)
}

/// A scalar as a lane.
fn lane_of(s: &Site<'_, '_, '_>, x: Value) -> Lane {
    let of = match s.def(x) {
        Some((Op::ExtractVectorComponent, imm, &[v])) => Some((v, imm.as_index() as u8)),
        _ => None,
    };
    Lane { scalar: Some(x), of }
}

/// The lanes of a vector, seen through its definition; those of any vector are its own components.
fn lanes_of(s: &Site<'_, '_, '_>, mut v: Value) -> Option<Wanted> {
    let size = s.size_of(v);
    // Vectors of more components have no swizzles.
    if size > MAX_LANGUAGE_VECTOR {
        return None;
    }
    let mut inserted: [Option<Value>; 4] = [None; 4];
    // At most one insertion for each component: others have been merged.
    for _ in 0..size {
        let Some((Op::InsertVectorComponent, imm, &[rest, x])) = s.def(v) else { break };
        inserted[imm.as_index() as usize].get_or_insert(x);
        v = rest;
    }
    let mut lanes = base_lanes(s, v, size)?;
    for (lane, x) in lanes.iter_mut().zip(inserted) {
        if let Some(x) = x {
            *lane = lane_of(s, x);
        }
    }
    Some(lanes)
}

fn base_lanes(s: &Site<'_, '_, '_>, v: Value, size: u8) -> Option<Wanted> {
    if !matches!(s.kind_of(v), TypeKind::Vector(..)) {
        return None;
    }
    if let Some(parts) = v.as_const().and_then(|c| s.b.module.consts.as_parts(c)) {
        return Some(parts.iter().map(|&c| Lane { scalar: Some(c.into()), of: None }).collect());
    }
    let own = || (0..size).map(|i| Lane { scalar: None, of: Some((v, i)) }).collect();
    Some(match s.def(v) {
        Some((Op::ExtractVectorComponentMulti, imm, &[w])) => {
            imm.as_lanes().iter().map(|l| Lane { scalar: None, of: Some((w, l)) }).collect()
        }
        Some((Op::ConstructVectorFromScalar, _, &[x])) if s.scalar_of(x) == s.scalar_of(v) => {
            std::iter::repeat_n(lane_of(s, x), size.into()).collect()
        }
        Some((Op::ConstructVectorFromMultiple, _, parts)) => {
            parts_lanes(s, parts, s.scalar_of(v)?, size).unwrap_or_else(own)
        }
        _ => own(),
    })
}

/// The lanes of a constructor's operands; `None` if one is no scalar or vector of the same components.
fn parts_lanes(s: &Site<'_, '_, '_>, parts: &[Value], scalar: planish_ir::types::Scalar, size: u8) -> Option<Wanted> {
    let mut lanes = Wanted::new();
    for &part in parts {
        if s.scalar_of(part) != Some(scalar) {
            return None;
        }
        match s.size_of(part) {
            0 => return None,
            1 => lanes.push(lane_of(s, part)),
            n => lanes.extend((0..n).map(|i| Lane { scalar: None, of: Some((part, i)) })),
        }
    }
    lanes.truncate(size.into());
    Some(lanes)
}

/// The vector of these lanes, if it takes at most one node: a vector that is there, a swizzle of one, one scalar for all, or
/// a constructor of scalars and whole vectors.
fn rebuild(s: &mut Site<'_, '_, '_>, lanes: &[Lane]) -> Option<Value> {
    match rebuild_simply(s, lanes) {
        Simple::Better(value) => return Some(value),
        Simple::Same => return None,
        Simple::No => {}
    }
    let mut parts = SmallVec::<[Value; 4]>::new();
    let mut at = 0;
    while let Some(lane) = lanes.get(at) {
        if let Some((v, 0)) = lane.of
            && let size = s.size_of(v) as usize
            && lanes.len() >= at + size
            && (0..size).all(|i| lanes[at + i].of == Some((v, i as u8)))
        {
            parts.push(v);
            at += size;
            continue;
        }
        parts.push(lane.scalar?);
        at += 1;
    }
    // The same constructor is no progress.
    if s.op() == Op::ConstructVectorFromMultiple && parts[..] == *s.args() {
        return None;
    }
    Some(s.make_typed(Op::ConstructVectorFromMultiple, &parts, s.ty()))
}

/// The values of lanes that need no constructor of several parts.
enum Simple {
    /// This.
    Better(Value),
    /// The node that is asked for already.
    Same,
    /// Nothing.
    No,
}

/// As [`rebuild`], without constructors of several parts.
fn rebuild_simply(s: &mut Site<'_, '_, '_>, lanes: &[Lane]) -> Simple {
    let first = lanes[0];
    if let Some((v, _)) = first.of
        && s.size_of(v) <= MAX_LANGUAGE_VECTOR
        && lanes.iter().all(|lane| lane.of.is_some_and(|(w, _)| w == v))
    {
        let numbers: SmallVec<[u8; 4]> = lanes.iter().filter_map(|lane| lane.of).map(|(_, i)| i).collect();
        let swizzle = Lanes::new(&numbers);
        if s.size_of(v) as usize == numbers.len() && swizzle.is_prefix() {
            return Simple::Better(v);
        }
        if first.scalar.is_none() || lanes.iter().any(|lane| lane.of != first.of) {
            let same = s.op() == Op::ExtractVectorComponentMulti && s.arg(0) == v && s.imm() == swizzle.into();
            if same {
                return Simple::Same;
            }
            return Simple::Better(s.make_imm(Op::ExtractVectorComponentMulti, swizzle, &[v]));
        }
    }
    match first.scalar {
        Some(x) if lanes.iter().all(|lane| lane.scalar == Some(x)) => {
            Simple::Better(s.make_typed(Op::ConstructVectorFromScalar, &[x], s.ty()))
        }
        _ => Simple::No,
    }
}

/// The constructor with its constants converted, so that no target does it when the program runs.
fn construct_constants(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let scalar = s.b.module.types.scalar_of(s.ty())?;
    let mut parts = SmallVec::<[Value; 4]>::from_slice(s.args());
    for part in &mut parts {
        let (Some(c), from) = (part.as_const(), s.type_of(*part)) else { continue };
        if s.scalar_of(*part) == Some(scalar) || s.is_matrix(*part) {
            continue;
        }
        let op = if s.size_of(*part) == 1 { Op::ConstructScalarFromScalar } else { Op::ConstructVectorFromMultiple };
        let to = s.b.module.types.with_scalar(from, scalar);
        *part = planish_ir::meaning::fold(s.b.module, op, Imm::NONE, &[c], to)?.into();
    }
    (parts[..] != *s.args()).then(|| s.with_args(&parts))
}

/// The constructor with the parts of its parts, and with swizzles kept whole.
fn construct_lanes(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let size = s.b.module.types.vector_size(s.ty()).filter(|&size| size <= MAX_LANGUAGE_VECTOR)? as usize;
    let scalar = s.b.module.types.scalar_of(s.ty())?;
    let mut lanes = Wanted::new();
    let mut parts = SmallVec::<[Value; 4]>::new();
    for part in parts_of_parts(s) {
        if s.scalar_of(part) != Some(scalar) || s.is_matrix(part) {
            return None;
        }
        let inner = if s.size_of(part) == 1 { std::iter::once(lane_of(s, part)).collect() } else { lanes_of(s, part)? };
        // A vector that sticks out is cut off, if its components are values of their own.
        if inner.iter().all(|lane| lane.scalar.is_some()) {
            parts.extend(inner.iter().filter_map(|lane| lane.scalar).take(size - lanes.len()));
        } else {
            parts.push(part);
        }
        lanes.extend(inner);
        if lanes.len() >= size {
            lanes.truncate(size);
            break;
        }
    }
    if let Simple::Better(value) = rebuild_simply(s, &lanes) {
        return Some(value);
    }
    let parts = whole_vectors(s, parts);
    (parts[..] != *s.args()).then(|| s.make_typed(Op::ConstructVectorFromMultiple, &parts, s.ty()))
}

/// The operands, with those of constructors among them in their place, if these use all of theirs.
fn parts_of_parts(s: &Site<'_, '_, '_>) -> SmallVec<[Value; 4]> {
    let mut all = SmallVec::new();
    for &part in s.args() {
        match s.def(part) {
            Some((Op::ConstructVectorFromMultiple, _, inner))
                if inner.iter().all(|&x| s.scalar_of(x) == s.scalar_of(part))
                    && inner.iter().map(|&x| s.size_of(x)).sum::<u8>() == s.size_of(part) =>
            {
                all.extend_from_slice(inner);
            }
            _ => all.push(part),
        }
    }
    all
}

/// Runs of all components of a vector, as the vector.
fn whole_vectors(s: &Site<'_, '_, '_>, parts: SmallVec<[Value; 4]>) -> SmallVec<[Value; 4]> {
    let mut whole = SmallVec::new();
    let mut at = 0;
    while let Some(&part) = parts.get(at) {
        at += 1;
        whole.push(part);
        if s.size_of(part) != 1 {
            continue;
        }
        let Some((v, 0)) = lane_of(s, part).of else { continue };
        let size = s.size_of(v) as usize;
        let run = parts.get(at - 1..at - 1 + size).unwrap_or(&[]);
        let all = run.iter().enumerate().all(|(i, &p)| s.size_of(p) == 1 && lane_of(s, p).of == Some((v, i as u8)));
        if !run.is_empty() && all {
            *whole.last_mut().expect("has just been pushed") = v;
            at += size - 1;
        }
    }
    whole
}

/// `op(vector(a), vector(b)) → vector(op(a, b))`, where constants with equal components count as vectors of one.
fn op_on_splats(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    if !is_lanewise(s.op()) {
        return None;
    }
    let mut scalars = SmallVec::<[Value; 3]>::new();
    let mut constants = SmallVec::<[(usize, u64); 3]>::new();
    for (i, &arg) in s.args().iter().enumerate() {
        if arg.as_const().is_some() {
            constants.push((i, s.uniform_bits(arg)?));
            scalars.push(arg);
        } else {
            scalars.push(splat_of(s, arg)?);
        }
    }
    if constants.len() == scalars.len() || s.size_of(s.arg(0)) < 2 {
        return None;
    }
    for (i, bits) in constants {
        let ty = component(s, s.arg(i))?;
        scalars[i] = s.splat(ty, bits);
    }
    let one = s.make(s.op(), &scalars);
    Some(s.make_typed(Op::ConstructVectorFromScalar, &[one], s.ty()))
}

/// One condition for two vectors of one scalar, of which one may be a constant.
fn select_of_splats(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let sides = [s.arg(1), s.arg(2)];
    if s.size_of(s.arg(0)) != 1 || s.size_of(sides[0]) < 2 || sides.iter().all(|v| v.as_const().is_some()) {
        return None;
    }
    let mut scalars = [s.arg(0); 3];
    for (i, side) in sides.into_iter().enumerate() {
        scalars[i + 1] = match s.uniform_bits(side) {
            Some(bits) => {
                let ty = component(s, side)?;
                s.splat(ty, bits)
            }
            None => splat_of(s, side)?,
        };
    }
    let one = s.make(Op::Select, &scalars);
    Some(s.make_typed(Op::ConstructVectorFromScalar, &[one], s.ty()))
}

/// The type of a component of a vector.
fn component(s: &mut Site<'_, '_, '_>, v: Value) -> Option<Type> {
    let scalar = s.scalar_of(v)?;
    Some(s.b.module.types.scalar(scalar))
}

/// Whether an op is componentwise and each operand has a lane for each of the result: a scalar beside vectors has a lane 0 and no
/// other, so only the first component would be rewritten. (`select` has a rule of its own.)
fn is_lanewise(op: Op) -> bool {
    op.is_componentwise() && !matches!(op, Op::Select | Op::BitfieldExtract | Op::BitfieldInsert)
}

/// A component of an op on vectors as the op on their components, if those are there already.
fn extract_of_op(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let index = s.imm().as_index() as usize;
    let (op, _, args) = s.def(s.arg(0))?;
    if !is_lanewise(op) {
        return None;
    }
    let mut scalars = SmallVec::<[Value; 3]>::new();
    for &arg in args {
        scalars.push(lanes_of(s, arg)?.get(index)?.scalar?);
    }
    Some(s.make(op, &scalars))
}
