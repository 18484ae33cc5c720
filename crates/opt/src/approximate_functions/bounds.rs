//! Bounds of numbers, by the operations that compute them.
//!
//! ```text
//! %2 = bitwise_and %1, 255              at most 255
//! %3 = construct_vector … %2            at most 255.0
//! %4 = multiply %3, 0.0245…             at most 6.2…
//! ```

use planish_ir::entity::{Const, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;

/// Operations that are looked through.
const DEPTH: u32 = 12;
/// A sum or product of `f32` is at most this much larger than the exact one.
const ROUNDING: f64 = 1.0 + 1.0 / 4_194_304.0;

/// The values of a function.
pub(super) struct Bounds<'a> {
    pub(super) module: &'a Module,
    pub(super) body: &'a Body,
    /// Greatest magnitudes of the first parameters.
    pub(super) params: &'a [f64],
}

impl Bounds<'_> {
    /// The greatest magnitude of a float, or of a component, unless it is NaN; infinite if it is not known.
    pub(super) fn magnitude(&self, value: Value) -> f64 {
        self.float(value, DEPTH)
    }

    /// Recursion: at most `depth` levels.
    fn float(&self, value: Value, depth: u32) -> f64 {
        if let Some(constant) = value.as_const() {
            return self.greatest(constant, &|bits| f64::from(f32::from_bits(bits as u32).abs()));
        }
        let (Some(node), true) = (self.body.node_of(value), depth > 0) else { return self.param(value) };
        let args = self.body.args(node);
        let of = |i: usize| self.float(args[i], depth - 1);
        match self.body.node(node).op {
            Op::Negate | Op::Abs => of(0),
            Op::Fract | Op::Saturate | Op::Step | Op::SmoothStep | Op::Sin | Op::Cos | Op::Tanh | Op::Sign => 1.0,
            Op::Asin | Op::Atan => 1.6,
            Op::Acos | Op::Atan2 => 3.2,
            Op::Add | Op::Subtract => (of(0) + of(1)) * ROUNDING,
            Op::Multiply => product(of(0), of(1)),
            Op::Divide => args[1].as_const().map_or(f64::INFINITY, |divisor| {
                let least = -self.greatest(divisor, &|bits| -f64::from(f32::from_bits(bits as u32).abs()));
                if least > 0.0 { of(0) / least * ROUNDING } else { f64::INFINITY }
            }),
            Op::Floor | Op::Ceil | Op::Trunc | Op::Round | Op::RoundEven => (of(0) + 1.0) * ROUNDING,
            Op::Sqrt => of(0).sqrt() * ROUNDING,
            Op::Min | Op::Max => of(0).max(of(1)),
            Op::Clamp => of(1).max(of(2)),
            Op::Select => of(1).max(of(2)),
            Op::Mix => {
                let by = of(2);
                (product(of(0), (1.0 + by) * ROUNDING) + product(of(1), by)) * ROUNDING
            }
            Op::ConstructVectorFromScalar | Op::ConstructScalarFromScalar => self.converted(args[0], depth - 1),
            Op::ConstructVectorFromMultiple if args.len() == 1 => self.converted(args[0], depth - 1),
            _ => f64::INFINITY,
        }
    }

    fn param(&self, value: Value) -> f64 {
        let inputs = &self.body.blocks[self.body.entry].inputs;
        let at = value.as_local().and_then(|local| inputs.iter().position(|&input| input == local));
        at.and_then(|i| self.params.get(i)).copied().unwrap_or(f64::INFINITY)
    }

    /// The greatest magnitude of a number of any type as a float. Recursion: at most `depth` levels.
    fn converted(&self, value: Value, depth: u32) -> f64 {
        match self.scalar(value) {
            Some(Scalar::F32) => self.float(value, depth),
            Some(Scalar::Bool) => 1.0,
            Some(Scalar::I32 | Scalar::U32) => self.integer(value, depth) * ROUNDING,
            _ => f64::INFINITY,
        }
    }

    fn scalar(&self, value: Value) -> Option<Scalar> {
        let ty = match value.as_const() {
            Some(constant) => self.module.consts[constant].ty,
            None => self.body.local_type(value.as_local()?),
        };
        self.module.types.scalar_of(ty)
    }

    /// The greatest magnitude of an integer. Recursion: at most `depth` levels.
    fn integer(&self, value: Value, depth: u32) -> f64 {
        let signed = self.scalar(value) == Some(Scalar::I32);
        let number = move |bits: u64| if signed { f64::from(bits as i32).abs() } else { f64::from(bits as u32) };
        let most = if signed { 2_147_483_648.0 } else { 4_294_967_295.0 };
        if let Some(constant) = value.as_const() {
            return self.greatest(constant, &number).min(most);
        }
        let (Some(node), true) = (self.body.node_of(value), depth > 0) else { return most };
        let args = self.body.args(node);
        let constant = |i: usize| args[i].as_const();
        let found = match self.body.node(node).op {
            // Without the sign, if one operand has none.
            Op::BitwiseAnd => [0, 1]
                .into_iter()
                .filter_map(constant)
                .map(|mask| self.greatest(mask, &|bits| if signed && (bits as i32) < 0 { most } else { number(bits) }))
                .fold(most, f64::min),
            Op::ShiftRight => match constant(1) {
                Some(by) => {
                    let least = -self.greatest(by, &|bits| -f64::from(bits as u32 & 31));
                    (most / least.exp2()).ceil()
                }
                None => most,
            },
            Op::Remainder => constant(1).map_or(most, |by| self.greatest(by, &number)),
            Op::Select => self.integer(args[1], depth - 1).max(self.integer(args[2], depth - 1)),
            _ => most,
        };
        found.min(most)
    }

    /// The greatest of a constant's components, by a measure of their bits. Recursion: one level.
    fn greatest(&self, constant: Const, of: &dyn Fn(u64) -> f64) -> f64 {
        let consts = &self.module.consts;
        match (consts.as_bits(constant), consts.as_parts(constant)) {
            (Some(bits), _) => of(bits),
            (None, Some(parts)) => {
                let each = |&part: &Const| consts.as_bits(part).map_or(f64::INFINITY, of);
                parts.iter().map(each).fold(f64::NEG_INFINITY, f64::max)
            }
            _ => f64::INFINITY,
        }
    }
}

/// The bound of a product. (Zero times infinity is NaN, of which nothing is said.)
fn product(x: f64, y: f64) -> f64 {
    if x == 0.0 || y == 0.0 { 0.0 } else { x * y * ROUNDING }
}
