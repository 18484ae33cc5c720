//! Ops on whole values: vectors as geometry, matrices, constructors, parts, packing, and ops with two results.

use crate::program::Node;
use crate::types::{Scalar, Type};

/// An op applied.
pub(crate) struct Call<'a> {
    /// Types and components of the operands.
    pub(crate) args: Vec<(&'a Type, &'a [u32])>,
    /// The type of the result.
    pub(crate) ty: &'a Type,
    pub(crate) index: usize,
    pub(crate) lanes: &'a [usize],
}

/// Appends the components of the result.
pub(crate) type Whole = fn(&Call<'_>, &mut Vec<u32>);

impl Call<'_> {
    fn words(&self, i: usize) -> &[u32] {
        self.args[i].1
    }

    fn floats(&self, i: usize) -> Vec<f32> {
        self.words(i).iter().map(|&w| f32::from_bits(w)).collect()
    }

    /// Columns and rows of a matrix operand.
    fn shape(&self, i: usize) -> (usize, usize) {
        shape(self.args[i].0)
    }

    /// The number of the part that the last operand names: unsigned, and clamped.
    fn dynamic(&self) -> usize {
        let index = self.words(self.args.len() - 1)[0] as usize;
        index.min(self.args[0].0.parts() - 1)
    }
}

fn shape(ty: &Type) -> (usize, usize) {
    if let Type::Matrix(columns, rows) = ty { (*columns, *rows) } else { (1, ty.size()) }
}

fn put(out: &mut Vec<u32>, values: impl IntoIterator<Item = f32>) {
    // A NaN that is computed is the canonical one.
    out.extend(values.into_iter().map(|x| if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() }));
}

/// The op's function, and its number of operands, if that is fixed.
pub(crate) fn function(op: &str) -> Option<(Whole, Option<usize>)> {
    Some(match op {
        "dot" => (|c, out| put(out, [dot(&c.floats(0), &c.floats(1))]), Some(2)),
        "length" => (|c, out| put(out, [length(&c.floats(0))]), Some(1)),
        "distance" => (|c, out| put(out, [length(&minus(&c.floats(0), &c.floats(1)))]), Some(2)),
        "horizontal_add" => (|c, out| put(out, [sum(c.floats(0))]), Some(1)),
        "horizontal_min" => {
            (|c, out| put(out, c.floats(0).into_iter().reduce(|x, y| if y < x { y } else { x })), Some(1))
        }
        "horizontal_max" => {
            (|c, out| put(out, c.floats(0).into_iter().reduce(|x, y| if x < y { y } else { x })), Some(1))
        }
        "normalize" => (normalize, Some(1)),
        "cross" => (cross, Some(2)),
        "reflect" => (reflect, Some(2)),
        "refract" => (refract, Some(3)),
        "face_forward" => (face_forward, Some(3)),
        "transpose" => (transpose, Some(1)),
        "determinant" => (|c, out| put(out, [determinant(&c.floats(0), c.shape(0).0)]), Some(1)),
        "inverse" => (inverse, Some(1)),
        "matrix_times_vector" => (|c, out| put(out, times(&c.floats(0), c.shape(0).1, &c.floats(1))), Some(2)),
        "vector_times_matrix" => (vector_times_matrix, Some(2)),
        "matrix_times_matrix" => (matrix_times_matrix, Some(2)),
        "outer_product" => (outer_product, Some(2)),
        "any" => (|c, out| out.push(c.words(0).iter().any(|&w| w != 0).into()), Some(1)),
        "all" => (|c, out| out.push(c.words(0).iter().all(|&w| w != 0).into()), Some(1)),
        "aggregate_equal" => (aggregate_equal, Some(2)),
        "construct_scalar_from_scalar" | "construct_vector_from_multiple" | "construct_matrix_from_multiple" => {
            (construct, None)
        }
        "construct_vector_from_scalar" => (splat, Some(1)),
        "construct_matrix_from_scalar" => (diagonal, Some(1)),
        "construct_matrix_from_matrix" => (resize, Some(1)),
        "construct_struct" | "construct_array" => (|c, out| c.args.iter().for_each(|a| out.extend(a.1)), None),
        "bitcast" => (|c, out| out.extend(c.words(0)), Some(1)),
        "extract_vector_component" => (|c, out| out.push(c.words(0)[c.index]), Some(1)),
        "extract_vector_component_multi" => (|c, out| out.extend(c.lanes.iter().map(|&l| c.words(0)[l])), Some(1)),
        "extract_struct_field" => (|c, out| extract(c, c.index, out), Some(1)),
        "extract_vector_component_dynamic" | "extract_matrix_column" | "extract_array_element" => {
            (|c, out| extract(c, c.dynamic(), out), Some(2))
        }
        "insert_vector_component" | "insert_struct_field" => (|c, out| insert(c, c.index, out), Some(2)),
        "insert_vector_component_dynamic" | "insert_matrix_column" | "insert_array_element" => {
            (|c, out| insert(c, c.dynamic(), out), Some(3))
        }
        "add_carry" => {
            (|c, out| two_words(c, out, |x, y| (x.wrapping_add(y), x.checked_add(y).is_none().into())), Some(2))
        }
        "subtract_borrow" => (|c, out| two_words(c, out, |x, y| (x.wrapping_sub(y), (x < y).into())), Some(2)),
        "multiply_extended" => (multiply_extended, Some(2)),
        "frexp" => (frexp, Some(1)),
        "modf" => (modf, Some(1)),
        "pack_snorm2x16" => (|c, out| pack(c, out, 16, |x| fraction(x, -1.0, 32767.0)), Some(1)),
        "pack_unorm2x16" => (|c, out| pack(c, out, 16, |x| fraction(x, 0.0, 65535.0)), Some(1)),
        "pack_snorm4x8" => (|c, out| pack(c, out, 8, |x| fraction(x, -1.0, 127.0)), Some(1)),
        "pack_unorm4x8" => (|c, out| pack(c, out, 8, |x| fraction(x, 0.0, 255.0)), Some(1)),
        "pack_half2x16" => (|c, out| pack(c, out, 16, to_half), Some(1)),
        "unpack_snorm2x16" => (|c, out| unpack(c, out, 16, |w| signed_fraction(i32::from(w as i16), 32767.0)), Some(1)),
        "unpack_unorm2x16" => (|c, out| unpack(c, out, 16, |w| w as f32 / 65535.0), Some(1)),
        "unpack_snorm4x8" => (|c, out| unpack(c, out, 8, |w| signed_fraction(i32::from(w as i8), 127.0)), Some(1)),
        "unpack_unorm4x8" => (|c, out| unpack(c, out, 8, |w| w as f32 / 255.0), Some(1)),
        "unpack_half2x16" => (|c, out| unpack(c, out, 16, from_half), Some(1)),
        _ => return None,
    })
}

/// Whether the operands have the shapes that the function expects.
pub(crate) fn fits(node: &Node, operands: &[&Type]) -> bool {
    let size = |i: usize| operands[i].size();
    let floats = |all: &[&Type]| all.iter().all(|t| t.scalar() == Some(Scalar::F32));
    let part = |i: usize| operands[0].part(i);
    let op = &node.op[..];
    match op {
        "dot" | "distance" | "reflect" => floats(operands) && size(0) == size(1),
        "face_forward" => floats(operands) && size(0) == size(1) && size(1) == size(2),
        "refract" => floats(operands) && size(0) == size(1) && size(2) == 1,
        "cross" => floats(operands) && size(0) == 3 && size(1) == 3,
        "horizontal_min" | "horizontal_max" => floats(operands),
        "length" | "normalize" | "horizontal_add" | "frexp" | "modf" | "outer_product" => floats(operands),
        "transpose" | "construct_matrix_from_matrix" => matches!(operands[0], Type::Matrix(..)),
        "determinant" | "inverse" => matches!(operands[0], Type::Matrix(c, r) if c == r),
        "matrix_times_vector" => matches!(operands[0], Type::Matrix(c, _) if *c == size(1)) && floats(operands),
        "vector_times_matrix" => matches!(operands[1], Type::Matrix(_, r) if *r == size(0)) && floats(operands),
        "matrix_times_matrix" => {
            matches!((operands[0], operands[1]), (Type::Matrix(c, _), Type::Matrix(_, r)) if c == r)
        }
        "aggregate_equal" => operands[0] == operands[1],
        "extract_vector_component" | "extract_struct_field" => part(node.index).as_ref() == Some(&node.ty),
        "extract_vector_component_multi" => {
            node.lanes.len() == node.ty.size() && node.lanes.iter().all(|&l| l < size(0))
        }
        "extract_vector_component_dynamic" | "extract_matrix_column" | "extract_array_element" => {
            part(0).as_ref() == Some(&node.ty) && size(1) == 1
        }
        "insert_vector_component" | "insert_struct_field" => part(node.index).as_ref() == Some(operands[1]),
        "insert_vector_component_dynamic" | "insert_matrix_column" | "insert_array_element" => {
            part(0).as_ref() == Some(operands[1]) && size(2) == 1
        }
        "bitcast" => size(0) == node.ty.size(),
        "construct_struct" | "construct_array" => operands.iter().map(|t| t.size()).sum::<usize>() == node.ty.size(),
        "construct_matrix_from_multiple" | "construct_vector_from_multiple" | "construct_scalar_from_scalar" => {
            let have: usize = operands.iter().map(|t| t.size()).sum();
            have >= node.ty.size() && operands.iter().all(|t| t.scalar().is_some()) && node.ty.scalar().is_some()
        }
        "construct_vector_from_scalar" | "construct_matrix_from_scalar" => {
            size(0) == 1 && operands[0].scalar().is_some() && node.ty.scalar().is_some()
        }
        "add_carry" | "subtract_borrow" | "multiply_extended" => size(0) == size(1) && operands[0].scalar().is_some(),
        _ if op.starts_with("pack_") => floats(operands) && size(0) == if op.ends_with('8') { 4 } else { 2 },
        _ if op.starts_with("unpack_") => size(0) == 1 && node.ty.size() == if op.ends_with('8') { 4 } else { 2 },
        _ => true,
    }
}

/// Added from the first on.
fn sum(terms: impl IntoIterator<Item = f32>) -> f32 {
    terms.into_iter().reduce(|sum, term| sum + term).unwrap_or(0.0)
}

fn dot(x: &[f32], y: &[f32]) -> f32 {
    sum(x.iter().zip(y).map(|(x, y)| x * y))
}

fn length(x: &[f32]) -> f32 {
    // Of a scalar its magnitude.
    if let [x] = x { x.abs() } else { dot(x, x).sqrt() }
}

fn minus(x: &[f32], y: &[f32]) -> Vec<f32> {
    x.iter().zip(y).map(|(x, y)| x - y).collect()
}

fn normalize(c: &Call<'_>, out: &mut Vec<u32>) {
    let x = c.floats(0);
    let length = length(&x);
    put(out, x.iter().map(|x| x / length));
}

fn cross(c: &Call<'_>, out: &mut Vec<u32>) {
    let (x, y) = (c.floats(0), c.floats(1));
    put(out, [(1, 2), (2, 0), (0, 1)].map(|(i, j)| x[i] * y[j] - y[i] * x[j]));
}

fn reflect(c: &Call<'_>, out: &mut Vec<u32>) {
    let (i, n) = (c.floats(0), c.floats(1));
    let factor = 2.0 * dot(&n, &i);
    put(out, i.iter().zip(&n).map(|(i, n)| i - factor * n));
}

fn refract(c: &Call<'_>, out: &mut Vec<u32>) {
    let (i, n, eta) = (c.floats(0), c.floats(1), c.floats(2)[0]);
    let d = dot(&n, &i);
    let k = 1.0 - (eta * eta) * (1.0 - d * d);
    let factor = eta * d + k.sqrt();
    put(out, i.iter().zip(&n).map(|(i, n)| if k < 0.0 { 0.0 } else { eta * i - factor * n }));
}

fn face_forward(c: &Call<'_>, out: &mut Vec<u32>) {
    let backwards = dot(&c.floats(2), &c.floats(1)) < 0.0;
    put(out, c.floats(0).into_iter().map(|n| if backwards { n } else { -n }));
}

fn transpose(c: &Call<'_>, out: &mut Vec<u32>) {
    let ((columns, rows), m) = (c.shape(0), c.floats(0));
    // Not one of the ops that keep the bits of a NaN.
    put(out, (0..rows).flat_map(|row| (0..columns).map(|column| m[column * rows + row]).collect::<Vec<_>>()));
}

/// Matrix (by columns of `rows`) times column vector: the columns times the components, added from the first on.
fn times(m: &[f32], rows: usize, v: &[f32]) -> Vec<f32> {
    (0..rows).map(|row| sum(v.iter().enumerate().map(|(column, x)| m[column * rows + row] * x))).collect()
}

fn vector_times_matrix(c: &Call<'_>, out: &mut Vec<u32>) {
    let (v, m) = (c.floats(0), c.floats(1));
    put(out, m.chunks(c.shape(1).1).map(|column| dot(&v, column)));
}

fn matrix_times_matrix(c: &Call<'_>, out: &mut Vec<u32>) {
    let (a, b) = (c.floats(0), c.floats(1));
    put(out, b.chunks(c.shape(1).1).flat_map(|column| times(&a, c.shape(0).1, column)));
}

fn outer_product(c: &Call<'_>, out: &mut Vec<u32>) {
    let (x, y) = (c.floats(0), c.floats(1));
    put(out, y.iter().flat_map(|y| x.iter().map(move |x| x * y)));
}

/// A square matrix without one column and one row.
fn minor(m: &[f32], size: usize, column: usize, row: usize) -> Vec<f32> {
    let places = (0..size).flat_map(|c| (0..size).map(move |r| (c, r)));
    places.filter(|&(c, r)| c != column && r != row).map(|(c, r)| m[c * size + r]).collect()
}

/// Expansion along the first column. Recursion is three deep.
fn determinant(m: &[f32], size: usize) -> f32 {
    if let [one] = m {
        return *one;
    }
    let terms = (0..size).map(|row| {
        let term = m[row] * determinant(&minor(m, size, 0, row), size - 1);
        if row % 2 == 0 { term } else { -term }
    });
    sum(terms)
}

fn inverse(c: &Call<'_>, out: &mut Vec<u32>) {
    let (m, size) = (c.floats(0), c.shape(0).0);
    let all = determinant(&m, size);
    let places = (0..size).flat_map(|column| (0..size).map(move |row| (column, row)));
    put(
        out,
        places.map(|(column, row)| {
            let cofactor = determinant(&minor(&m, size, row, column), size - 1);
            (if (column + row) % 2 == 0 { cofactor } else { -cofactor }) / all
        }),
    );
}

fn aggregate_equal(c: &Call<'_>, out: &mut Vec<u32>) {
    let scalars = c.args[0].0.scalars();
    let same = scalars.iter().zip(c.words(0)).zip(c.words(1)).all(|((scalar, &x), &y)| match scalar {
        Scalar::F32 => f32::from_bits(x) == f32::from_bits(y),
        _ => x == y,
    });
    out.push(same.into());
}

/// A component as one of another kind.
fn convert(word: u32, from: Scalar, to: Scalar) -> u32 {
    let x = f32::from_bits(word);
    match (from, to) {
        (Scalar::F32, Scalar::F32) => word,
        (Scalar::F32, Scalar::Bool) => (x != 0.0).into(),
        // Truncates and saturates; NaN becomes 0.
        (Scalar::F32, Scalar::I32) => x as i32 as u32,
        (Scalar::F32, Scalar::U32) => x as u32,
        (Scalar::I32, Scalar::F32) => (word as i32 as f32).to_bits(),
        (Scalar::U32 | Scalar::Bool, Scalar::F32) => (word as f32).to_bits(),
        (_, Scalar::Bool) => (word != 0).into(),
        _ => word,
    }
}

/// The components of all operands in order, converted, as many as the result has.
fn construct(c: &Call<'_>, out: &mut Vec<u32>) {
    let to = c.ty.scalar().unwrap_or(Scalar::F32);
    let all = c.args.iter().flat_map(|(ty, words)| {
        let from = ty.scalar().unwrap_or(to);
        words.iter().map(move |&w| convert(w, from, to))
    });
    out.extend(all.take(c.ty.size()));
}

fn splat(c: &Call<'_>, out: &mut Vec<u32>) {
    let (from, to) = (c.args[0].0.scalar().unwrap_or(Scalar::F32), c.ty.scalar().unwrap_or(Scalar::F32));
    out.extend(std::iter::repeat_n(convert(c.words(0)[0], from, to), c.ty.size()));
}

fn diagonal(c: &Call<'_>, out: &mut Vec<u32>) {
    let (columns, rows) = shape(c.ty);
    let value = convert(c.words(0)[0], c.args[0].0.scalar().unwrap_or(Scalar::F32), Scalar::F32);
    out.extend((0..columns).flat_map(|i| (0..rows).map(move |j| if i == j { value } else { 0 })));
}

/// The part that both matrices have, the identity elsewhere.
fn resize(c: &Call<'_>, out: &mut Vec<u32>) {
    let ((columns, rows), (have_columns, have_rows)) = (shape(c.ty), c.shape(0));
    let one = 1.0f32.to_bits();
    out.extend((0..columns).flat_map(|i| {
        (0..rows).map(move |j| match i < have_columns && j < have_rows {
            true => c.words(0)[i * have_rows + j],
            false => {
                if i == j {
                    one
                } else {
                    0
                }
            }
        })
    }));
}

/// Offset of a direct part.
fn start(ty: &Type, index: usize) -> usize {
    (0..index).filter_map(|i| ty.part(i)).map(|part| part.size()).sum()
}

fn extract(c: &Call<'_>, index: usize, out: &mut Vec<u32>) {
    out.extend(&c.words(0)[start(c.args[0].0, index)..][..c.ty.size()]);
}

fn insert(c: &Call<'_>, index: usize, out: &mut Vec<u32>) {
    let (begin, at) = (out.len(), start(c.ty, index));
    out.extend(c.words(0));
    out[begin + at..][..c.words(1).len()].copy_from_slice(c.words(1));
}

/// First results of all components, then second ones.
fn two_words(c: &Call<'_>, out: &mut Vec<u32>, f: impl Fn(u32, u32) -> (u32, u32)) {
    let pairs: Vec<_> = c.words(0).iter().zip(c.words(1)).map(|(&x, &y)| f(x, y)).collect();
    out.extend(pairs.iter().map(|p| p.0));
    out.extend(pairs.iter().map(|p| p.1));
}

fn multiply_extended(c: &Call<'_>, out: &mut Vec<u32>) {
    let is_signed = c.args[0].0.scalar() == Some(Scalar::I32);
    two_words(c, out, |x, y| {
        let product = match is_signed {
            true => (i64::from(x as i32) * i64::from(y as i32)) as u64,
            false => u64::from(x) * u64::from(y),
        };
        ((product >> 32) as u32, product as u32)
    });
}

fn frexp(c: &Call<'_>, out: &mut Vec<u32>) {
    let split = |x: f32| {
        if x == 0.0 || !x.is_finite() {
            return (x, 0);
        }
        // Exact in `f64`, where no `f32` is subnormal.
        let bits = f64::from(x).to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32 - 1022;
        (f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52) as f32, exponent)
    };
    let pairs: Vec<_> = c.floats(0).into_iter().map(split).collect();
    put(out, pairs.iter().map(|p| p.0));
    out.extend(pairs.iter().map(|p| p.1 as u32));
}

fn modf(c: &Call<'_>, out: &mut Vec<u32>) {
    let x = c.floats(0);
    put(out, x.iter().map(|x| if x.is_infinite() { 0f32.copysign(*x) } else { (x - x.trunc()).copysign(*x) }));
    put(out, x.iter().map(|x| x.trunc()));
}

/// Low bits first.
fn pack(c: &Call<'_>, out: &mut Vec<u32>, width: u32, one: impl Fn(f32) -> u32) {
    let mask = (1 << width) - 1;
    let word = c.floats(0).into_iter().enumerate().fold(0, |word, (i, x)| word | (one(x) & mask) << (i as u32 * width));
    out.push(word);
}

fn unpack(c: &Call<'_>, out: &mut Vec<u32>, width: u32, one: impl Fn(u32) -> f32) {
    let mask = (1 << width) - 1;
    put(out, (0..32 / width).map(|i| one(c.words(0)[0] >> (i * width) & mask)));
}

/// NaN packs as 0.
fn fraction(x: f32, low: f32, scale: f32) -> u32 {
    if x.is_nan() { 0 } else { (x.clamp(low, 1.0) * scale).round_ties_even() as i32 as u32 }
}

fn signed_fraction(x: i32, scale: f32) -> f32 {
    (x as f32 / scale).clamp(-1.0, 1.0)
}

/// Rounds to nearest even; NaN is `0x7e00`.
fn to_half(x: f32) -> u32 {
    let bits = x.to_bits();
    let sign = bits >> 16 & 0x8000;
    if x.is_nan() {
        return 0x7e00;
    }
    let magnitude = f32::from_bits(bits & 0x7fff_ffff);
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    if magnitude < 2f32.powi(-14) {
        // Subnormal: a multiple of 2^-24. The product is exact.
        return sign | (magnitude * 2f32.powi(24)).round_ties_even() as u32;
    }
    let bits = magnitude.to_bits();
    let exponent = (bits >> 23) - 112;
    let (kept, rest) = (bits >> 13 & 0x3ff, bits & 0x1fff);
    let up = rest > 0x1000 || rest == 0x1000 && kept & 1 == 1;
    sign | ((exponent << 10 | kept) + u32::from(up))
}

fn from_half(word: u32) -> f32 {
    let sign = if word & 0x8000 != 0 { -1.0 } else { 1.0 };
    let (exponent, fraction) = ((word >> 10 & 31) as i32, (word & 0x3ff) as f32);
    match exponent {
        0 => sign * fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    }
}
