//! Ops on values, by columns: the semantics of [`planish_ir::meaning`], for most ops vectorized over lanes. A test
//! compares every op with it.

use planish_ir::custom;
use planish_ir::entity::{Type, Value};
use planish_ir::function::{Body, TrapKind};
use planish_ir::meaning::{self, Fault, Kernel, NAN_F32, Shape, clamp_index, convert, evaluate};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::types::{Scalar, TypeKind};

use super::View;
use crate::mask::Mask;
use crate::program::{Inst, Operand};

/// Failure of an op.
pub(super) enum Failure {
    /// A trap in these lanes.
    Trap(TrapKind, Box<Mask>),
    /// Not an op on values.
    NoMeaning,
}

/// A node to be computed.
pub(super) struct Job<'a> {
    pub(super) module: &'a Module,
    pub(super) body: &'a Body,
    pub(super) inst: &'a Inst,
    pub(super) args: &'a [Operand],
    pub(super) n: usize,
    pub(super) active: &'a Mask,
}

impl Job<'_> {
    /// Computes the results into `out`, column by column, at least in the running lanes. `few`: computing in the others
    /// is not worthwhile.
    pub(super) fn run(&self, view: View<'_>, few: bool, out: &mut [u64]) -> Result<(), Failure> {
        if let Some(kernel) = self.inst.kernel {
            self.componentwise(kernel, view, few, out);
            return Ok(());
        }
        let done = match self.inst.op {
            Op::ConstructScalarFromScalar
            | Op::ConstructVectorFromScalar
            | Op::ConstructVectorFromMultiple
            | Op::ConstructMatrixFromMultiple => self.convert(view, out),
            Op::ConstructStruct | Op::ConstructArray | Op::Bitcast => self.concatenate(view, out),
            Op::ExtractVectorComponent | Op::ExtractStructField | Op::ExtractVectorComponentMulti => {
                self.extract(view, out)
            }
            Op::ExtractVectorComponentDynamic | Op::ExtractMatrixColumn | Op::ExtractArrayElement => {
                self.extract_dynamic(view, out)
            }
            Op::Length
            | Op::Distance
            | Op::Dot
            | Op::Normalize
            | Op::Cross
            | Op::Reflect
            | Op::MatrixTimesVector
            | Op::VectorTimesMatrix
            | Op::MatrixTimesMatrix => self.algebra(view, out),
            _ => None,
        };
        match done {
            Some(()) => Ok(()),
            None => self.lane_by_lane(view, out),
        }
    }

    fn type_of(&self, arg: usize) -> Type {
        self.module.type_of(self.body, self.arg_value(arg))
    }

    fn arg_value(&self, arg: usize) -> Value {
        self.body.args(self.inst.node)[arg]
    }

    fn componentwise(&self, kernel: Kernel, view: View<'_>, few: bool, out: &mut [u64]) {
        let args = self.args;
        let n = self.n;
        let part = |operand: Operand, c: usize| if operand.size() == 1 { 0 } else { c };
        for (c, out) in out.chunks_mut(n).enumerate() {
            let column = |i: usize| view.column(args[i], part(args[i], c));
            let at = |i: usize, lane: usize| view.get(args[i], part(args[i], c), lane);
            match kernel {
                Kernel::Unary(f) if few => self.active.lanes().for_each(|l| out[l] = (f.one)(at(0, l))),
                Kernel::Binary(f) if few => self.active.lanes().for_each(|l| out[l] = (f.one)(at(0, l), at(1, l))),
                Kernel::Ternary(f) if few => {
                    self.active.lanes().for_each(|l| out[l] = (f.one)(at(0, l), at(1, l), at(2, l)));
                }
                Kernel::Unary(f) => (f.many)(column(0), out),
                Kernel::Binary(f) => (f.many)(column(0), column(1), out),
                Kernel::Ternary(f) => (f.many)(column(0), column(1), column(2), out),
                Kernel::Quaternary(f) => {
                    self.active.lanes().for_each(|l| out[l] = f(at(0, l), at(1, l), at(2, l), at(3, l)));
                }
            }
        }
    }

    /// Converting constructors.
    fn convert(&self, view: View<'_>, out: &mut [u64]) -> Option<()> {
        let to = self.module.types.scalar_of(self.inst.ty)?;
        let mut columns = out.chunks_mut(self.n);
        if self.inst.op == Op::ConstructVectorFromScalar {
            let from = self.module.types.scalar_of(self.type_of(0))?;
            for out in columns {
                convert_column(view.column(self.args[0], 0), from, to, out);
            }
            return Some(());
        }
        for (i, &arg) in self.args.iter().enumerate() {
            let from = self.module.types.scalar_of(self.type_of(i))?;
            for c in 0..arg.size() {
                let Some(out) = columns.next() else { return Some(()) };
                convert_column(view.column(arg, c), from, to, out);
            }
        }
        Some(())
    }

    fn concatenate(&self, view: View<'_>, out: &mut [u64]) -> Option<()> {
        let mut columns = out.chunks_mut(self.n);
        for &arg in self.args {
            for c in 0..arg.size() {
                super::spread(columns.next()?, view.column(arg, c));
            }
        }
        Some(())
    }

    fn extract(&self, view: View<'_>, out: &mut [u64]) -> Option<()> {
        let composite = self.args[0];
        if self.inst.op == Op::ExtractVectorComponentMulti {
            for (lane, out) in self.inst.imm.as_lanes().iter().zip(out.chunks_mut(self.n)) {
                super::spread(out, view.column(composite, lane.into()));
            }
            return Some(());
        }
        let (start, _) = meaning::place(&self.module.types, self.type_of(0), self.inst.imm.as_index())?;
        for (c, out) in out.chunks_mut(self.n).enumerate() {
            super::spread(out, view.column(composite, start + c));
        }
        Some(())
    }

    fn extract_dynamic(&self, view: View<'_>, out: &mut [u64]) -> Option<()> {
        let (composite, index) = (self.args[0], self.args[1]);
        let count = self.module.types.part_count(self.type_of(0))?;
        let n = self.n;
        let size = out.len() / n;
        if let [index] = *view.column(index, 0) {
            let start = clamp_index(index, count) as usize * size;
            for (c, out) in out.chunks_mut(n).enumerate() {
                super::spread(out, view.column(composite, start + c));
            }
            return Some(());
        }
        for lane in 0..n {
            let start = clamp_index(view.get(index, 0, lane), count) as usize * size;
            for c in 0..size {
                out[c * n + lane] = view.get(composite, start + c, lane);
            }
        }
        Some(())
    }

    /// Geometry on `f32`, by lane, in the sequences of `docs/numerics.md`.
    fn algebra(&self, view: View<'_>, out: &mut [u64]) -> Option<()> {
        let types = &self.module.types;
        if types.scalar_of(self.type_of(0))? != Scalar::F32 {
            return None;
        }
        let n = self.n;
        let (a, b) = (self.args[0], self.args.get(1).copied());
        if self.sums(view, out) {
            return Some(());
        }
        let shape = |arg: usize| match types[self.type_of(arg)] {
            TypeKind::Matrix { columns, rows, .. } => (columns as usize, rows as usize),
            _ => (1, 1),
        };
        let shapes = [shape(0), if b.is_some() { shape(1) } else { (1, 1) }];
        let mut result = [0f32; 16];
        let columns = Columns::new(view, a);
        let others = b.map(|b| Columns::new(view, b));
        let (mut x, mut y) = (Floats::default(), Floats::default());
        for lane in 0..n {
            x.load(&columns, lane);
            if let Some(columns) = &others {
                y.load(columns, lane);
            }
            let count = geometry(self.inst.op, &x, &y, shapes, &mut result)?;
            for (c, &r) in result[..count].iter().enumerate() {
                out[c * n + lane] = put(r);
            }
        }
        Some(())
    }

    /// Ops that are sums of products, by column. Returns false for others.
    fn sums(&self, view: View<'_>, out: &mut [u64]) -> bool {
        let n = self.n;
        let (a, size) = (self.args[0], self.args[0].size());
        let x = |c: usize| view.column(a, c);
        let y = |c: usize| view.column(self.args[1], c);
        match self.inst.op {
            Op::Dot => {
                (0..size).for_each(|c| add_product(x(c), y(c), out, c == 0));
            }
            Op::Length if size > 1 => {
                (0..size).for_each(|c| add_product(x(c), x(c), out, c == 0));
                each(out, f32::sqrt);
            }
            Op::Normalize if size > 1 => {
                // The last column holds the length until it is divided by it, too.
                let (first, last) = out.split_at_mut((size - 1) * n);
                (0..size).for_each(|c| add_product(x(c), x(c), last, c == 0));
                each(last, f32::sqrt);
                for (c, out) in first.chunks_mut(n).enumerate() {
                    over(x(c), last, out);
                }
                let length = last.to_vec();
                over(x(size - 1), &length, last);
            }
            Op::MatrixTimesVector => {
                let rows = out.len() / n;
                for (row, out) in out.chunks_mut(n).enumerate() {
                    (0..size / rows).for_each(|c| add_product(x(c * rows + row), y(c), out, c == 0));
                }
            }
            _ => return false,
        }
        each(out, |x| x);
        true
    }

    /// Any op, by `planish_ir::meaning`, in the running lanes.
    fn lane_by_lane(&self, view: View<'_>, out: &mut [u64]) -> Result<(), Failure> {
        let types = &self.module.types;
        let mut bits: Vec<u64> = Vec::new();
        let mut results = Vec::new();
        let sizes: Vec<usize> = self.args.iter().map(|a| a.size()).collect();
        let arg_types: Vec<Type> = (0..self.args.len()).map(|i| self.type_of(i)).collect();
        debug_assert!((0..sizes.len()).all(|i| types.components(arg_types[i]) == Some(sizes[i])));
        let mut trapped: Option<(TrapKind, Mask)> = None;
        for lane in self.active.lanes() {
            bits.clear();
            for (&arg, &size) in self.args.iter().zip(&sizes) {
                bits.extend((0..size).map(|c| view.get(arg, c, lane)));
            }
            let mut rest = &bits[..];
            let operands: smallvec::SmallVec<[meaning::Operand<'_>; 4]> = arg_types
                .iter()
                .zip(&sizes)
                .map(|(&ty, &size)| {
                    let (bits, after) = rest.split_at(size);
                    rest = after;
                    meaning::Operand { ty, bits }
                })
                .collect();
            results.clear();
            let outcome = match self.inst.op.info().class {
                Class::Custom => custom::evaluate(self.module, self.inst.imm, &operands, &mut results),
                _ => evaluate(types, self.inst.op, self.inst.imm, &operands, self.inst.ty, &mut results),
            };
            match outcome {
                Ok(()) => {
                    for (c, &r) in results.iter().enumerate() {
                        out[c * self.n + lane] = r;
                    }
                }
                Err(Fault::NoMeaning) => return Err(Failure::NoMeaning),
                Err(Fault::Trap(kind)) => trapped.get_or_insert((kind, Mask::NONE)).1.insert(lane),
            }
        }
        match trapped {
            Some((kind, lanes)) => Err(Failure::Trap(kind, Box::new(lanes))),
            None => Ok(()),
        }
    }
}

fn convert_column(from: &[u64], a: Scalar, b: Scalar, out: &mut [u64]) {
    match *from {
        [one] => out.fill(convert(one, a, b)),
        _ if a == b => out.copy_from_slice(from),
        _ => out.iter_mut().zip(from).for_each(|(o, &x)| *o = convert(x, a, b)),
    }
}

fn put(x: f32) -> u64 {
    (if x.is_nan() { NAN_F32 } else { x.to_bits() }).into()
}

#[inline(always)]
fn float(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// `out = f(out)`, with canonical NaN.
#[inline(always)]
fn each(out: &mut [u64], f: impl Fn(f32) -> f32) {
    out.iter_mut().for_each(|o| *o = put(f(float(*o))));
}

/// `out = x / y`
fn over(x: &[u64], y: &[u64], out: &mut [u64]) {
    match *x {
        [x] => out.iter_mut().zip(y).for_each(|(o, &y)| *o = put(float(x) / float(y))),
        _ => out.iter_mut().zip(x).zip(y).for_each(|((o, &x), &y)| *o = put(float(x) / float(y))),
    }
}

/// `out = out + x * y`, or for the `first` term `out = x * y`: two roundings. NaN may have any bits.
fn add_product(x: &[u64], y: &[u64], out: &mut [u64], first: bool) {
    #[inline(always)]
    fn run(x: &[u64], y: &[u64], out: &mut [u64], f: impl Fn(f32, f32) -> f32) {
        let f = |o: u64, x: u64, y: u64| u64::from(f(float(o), float(x) * float(y)).to_bits());
        match (x, y) {
            (&[x], &[y]) => out.iter_mut().for_each(|o| *o = f(*o, x, y)),
            (x, &[y]) => out.iter_mut().zip(x).for_each(|(o, &x)| *o = f(*o, x, y)),
            (&[x], y) => out.iter_mut().zip(y).for_each(|(o, &y)| *o = f(*o, x, y)),
            (x, y) => out.iter_mut().zip(x).zip(y).for_each(|((o, &x), &y)| *o = f(*o, x, y)),
        }
    }
    if first { run(x, y, out, |_, p| p) } else { run(x, y, out, |sum, p| sum + p) }
}

/// The components of a value in one lane.
#[derive(Default)]
struct Floats {
    x: [f32; 16],
    len: usize,
}

/// The columns of a value, resolved once for all lanes.
struct Columns<'a> {
    columns: [&'a [u64]; 16],
    len: usize,
    /// Mask of the lane index: all bits, or none for one word for all lanes.
    mask: usize,
}

impl<'a> Columns<'a> {
    fn new(view: View<'a>, operand: Operand) -> Self {
        let len = operand.size().min(16);
        let mut columns: [&[u64]; 16] = [&[]; 16];
        for (c, column) in columns[..len].iter_mut().enumerate() {
            *column = view.column(operand, c);
        }
        let mask = if columns[0].len() == 1 { 0 } else { usize::MAX };
        Columns { columns, len, mask }
    }
}

impl Floats {
    #[inline]
    fn load(&mut self, from: &Columns<'_>, lane: usize) {
        self.len = from.len;
        for (x, column) in self.x.iter_mut().zip(&from.columns[..from.len]) {
            *x = f32::from_bits(column[lane & from.mask] as u32);
        }
    }

    fn all(&self) -> &[f32] {
        &self.x[..self.len]
    }
}

fn dot(x: &[f32], y: &[f32]) -> f32 {
    let mut sum = x[0] * y[0];
    for (&x, &y) in x.iter().zip(y).skip(1) {
        sum += x * y;
    }
    sum
}

fn length(x: &[f32]) -> f32 {
    if let [x] = *x { x.abs() } else { dot(x, x).sqrt() }
}

/// Matrix (by columns of `rows`) times vector.
fn times(m: &[f32], rows: usize, v: &[f32], out: &mut [f32]) {
    for (row, out) in out[..rows].iter_mut().enumerate() {
        let mut sum = m[row] * v[0];
        for (column, &x) in v.iter().enumerate().skip(1) {
            sum += m[column * rows + row] * x;
        }
        *out = sum;
    }
}

/// Computes one lane; returns the number of components.
fn geometry(op: Op, x: &Floats, y: &Floats, shapes: [(usize, usize); 2], out: &mut [f32; 16]) -> Option<usize> {
    let (a, b) = (x.all(), y.all());
    match op {
        Op::Dot => out[0] = dot(a, b),
        Op::Length => out[0] = length(a),
        Op::Distance => {
            let mut d = [0.0; 4];
            for (d, (&a, &b)) in d.iter_mut().zip(a.iter().zip(b)) {
                *d = a - b;
            }
            out[0] = length(&d[..a.len()]);
        }
        Op::Normalize => {
            let length = length(a);
            out.iter_mut().zip(a).for_each(|(o, &a)| *o = a / length);
            return Some(a.len());
        }
        Op::Cross => {
            for (o, (i, j)) in out.iter_mut().zip([(1, 2), (2, 0), (0, 1)]) {
                *o = a[i] * b[j] - b[i] * a[j];
            }
            return Some(3);
        }
        Op::Reflect => {
            let twice = 2.0 * dot(b, a);
            out.iter_mut().zip(a.iter().zip(b)).for_each(|(o, (&i, &n))| *o = i - twice * n);
            return Some(a.len());
        }
        Op::MatrixTimesVector => {
            times(a, shapes[0].1, b, out);
            return Some(shapes[0].1);
        }
        Op::VectorTimesMatrix => {
            let (columns, rows) = shapes[1];
            for (o, column) in out.iter_mut().zip(b.chunks(rows)) {
                *o = dot(a, column);
            }
            return Some(columns);
        }
        Op::MatrixTimesMatrix => {
            let (rows, inner) = (shapes[0].1, shapes[1].1);
            for (i, column) in b.chunks(inner).enumerate() {
                times(a, rows, column, &mut out[i * rows..]);
            }
            return Some(rows * shapes[1].0);
        }
        _ => return None,
    }
    Some(1)
}
