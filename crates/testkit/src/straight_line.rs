//! Evaluation of straight-line functions by the reference meaning, and inputs to evaluate them on.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Local, Type, Value, ValueKind};
use planish_ir::function::{Body, Exit};
use planish_ir::meaning::{Operand, Shape, evaluate, float_bits, float_value};
use planish_ir::module::Module;
use planish_ir::types::{Scalar, Types};

/// Random numbers of expressions (xorshift64*). The counts that the tests of flattening allow were made with this sequence; all
/// else draws from [`planish_generate::Choices`].
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: usize) -> usize {
        ((self.word() >> 33) % n as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// Bits on which a rule may go wrong: signed zeros, infinities, NaN, subnormals, the extremes of integers, shift amounts
/// beyond the width, and numbers that meet each other and the constants of programs.
pub fn special(random: &mut Random, scalar: Scalar) -> u64 {
    if random.chance(20) {
        return random.word() & mask(scalar);
    }
    // NaNs with a sign, with bits of their own, signalling.
    if scalar.is_float() && random.chance(6) {
        return match scalar {
            Scalar::F16 => random.pick(&[0xfe00, 0x7d00, 0x7e12, 0xfc01]),
            Scalar::F32 => random.pick(&[0xffc0_0000, 0x7fa0_0000, 0x7fc0_1234, 0xff80_0001]),
            _ => random.pick(&[0xfff8_0000_0000_0000, 0x7ff4_0000_0000_0000, 0x7ff8_0000_0000_1234]),
        };
    }
    match scalar {
        Scalar::Bool => random.below(2) as u64,
        Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 => {
            let top = 1 << (scalar.bits() - 1);
            random.pick(&[0, 1, 2, 3, 5, 7, 8, 15, 31, top - 1, top, top + 1, 2 * top - 1, 2 * top - 2])
        }
        Scalar::I32 | Scalar::U32 => random
            .pick(&[
                0u32,
                1,
                2,
                3,
                4,
                5,
                7,
                8,
                31,
                32,
                33,
                64,
                255,
                256,
                0x7fff_fffe,
                0x7fff_ffff,
                0x8000_0000,
                0x8000_0001,
                u32::MAX,
                u32::MAX - 1,
                u32::MAX - 7,
            ])
            .into(),
        Scalar::I64 | Scalar::U64 => random.pick(&[
            0u64,
            1,
            2,
            3,
            5,
            8,
            31,
            32,
            63,
            64,
            65,
            255,
            0xffff_ffff,
            1 << 32,
            i64::MAX as u64,
            1 << 63,
            u64::MAX,
            u64::MAX - 1,
        ]),
        Scalar::F16 => {
            // With the least subnormal, the greatest one, the least and the greatest normal number, and what rounds.
            let numbers = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.5, 3.0, 0.1, 255.0, 2049.0, 1e-5, 1e-3, 300.0];
            let number = random.pick(&numbers);
            let bits = random.pick(&[0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00]);
            if random.chance(60) { float_bits(scalar, number) } else { bits }
        }
        Scalar::F32 => random
            .pick(&[
                0.0f32,
                -0.0,
                1.0,
                -1.0,
                0.5,
                -0.5,
                2.0,
                -2.0,
                3.0,
                0.1,
                1.5,
                -2.5,
                255.0,
                1e-45,
                -1e-45,
                1e-38,
                1e-40,
                f32::MIN_POSITIVE,
                f32::MAX,
                f32::MIN,
                f32::INFINITY,
                f32::NEG_INFINITY,
                f32::NAN,
                16777217.0,
                2147483648.0,
                1e10,
                0.999_999_94,
                -1e-8,
            ])
            .to_bits()
            .into(),
        Scalar::F64 => random
            .pick(&[
                0.0f64,
                -0.0,
                1.0,
                -1.0,
                0.5,
                2.0,
                -2.5,
                3.0,
                0.1,
                1e300,
                5e-324,
                -5e-324,
                1e-310,
                f64::MAX,
                f64::MIN,
                f64::MIN_POSITIVE,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
                9007199254740993.0,
                1e-8,
            ])
            .to_bits(),
    }
}

/// Bits of an ordinary number: of floats between 0.5 and 2, of either sign.
pub fn ordinary(random: &mut Random, scalar: Scalar) -> u64 {
    let x = 0.5 + 1.5 * (random.word() >> 11) as f64 / (1u64 << 53) as f64;
    let x = if random.chance(30) { -x } else { x };
    match scalar {
        scalar if scalar.is_float() => float_bits(scalar, x),
        _ => special(random, scalar),
    }
}

pub fn mask(scalar: Scalar) -> u64 {
    u64::MAX >> (64 - scalar.bits())
}

/// The scalars of a type's components; `None` if it holds anything but numbers and booleans.
pub fn scalars(types: &Types, ty: Type) -> Option<Vec<Scalar>> {
    let mut all = Vec::new();
    types.for_each_run(ty, &mut |scalar, n| all.extend(std::iter::repeat_n(scalar, n))).then_some(all)
}

/// An input of a type.
pub fn input(types: &Types, ty: Type, number: &mut dyn FnMut(Scalar) -> u64) -> Option<Vec<u64>> {
    Some(scalars(types, ty)?.into_iter().map(number).collect())
}

/// The values of a straight-line body; none of types without a meaning on bits.
pub struct Values<'a> {
    module: &'a Module,
    locals: SideTable<Local, Option<Vec<u64>>>,
}

impl<'a> Values<'a> {
    /// Computes them.
    pub fn new(module: &'a Module, body: &Body, inputs: &[Vec<u64>]) -> Self {
        let mut values = Values { module, locals: SideTable::new() };
        for (&local, input) in body.blocks[body.entry].inputs.iter().zip(inputs) {
            values.locals[local] = Some(input.clone());
        }
        for (node, data) in body.nodes() {
            let Some(result) = body.result(node) else { continue };
            let args: Option<Vec<(Type, Vec<u64>)>> =
                body.args(node).iter().map(|&a| Some((module.type_of(body, a), values.get(a)?))).collect();
            let Some(args) = args else { continue };
            let operands: Vec<Operand<'_>> = args.iter().map(|(ty, bits)| Operand { ty: *ty, bits }).collect();
            let mut out = Vec::new();
            let ok = evaluate(&module.types, data.op, data.imm, &operands, body.local_type(result), &mut out);
            values.locals[result] = ok.ok().map(|()| out);
        }
        values
    }

    /// The bits of a value.
    pub fn get(&self, value: Value) -> Option<Vec<u64>> {
        match value.kind() {
            ValueKind::Local(local) => self.locals[local].clone(),
            ValueKind::Const(c) => {
                let mut bits = Vec::new();
                self.module.consts.flatten(c, &mut bits).then_some(bits)
            }
            _ => None,
        }
    }
}

/// Results of the function of this body, and the largest float of all values computed (1 at least; infinite if one is
/// infinite or NaN).
pub fn returned(module: &Module, body: &Body, inputs: &[Vec<u64>]) -> Option<(Vec<u64>, f64)> {
    let Exit::Return(results) = &body.blocks[body.entry].exit else { return None };
    let values = Values::new(module, body, inputs);
    let mut largest = 1.0f64;
    for (local, data) in body.locals() {
        let (Some(bits), Some(scalars)) = (&values.locals[local], scalars(&module.types, data.ty)) else { continue };
        let numbers = scalars.iter().zip(bits).filter(|(s, _)| s.is_float()).map(|(&s, &b)| number(s, b).abs());
        largest = numbers.map(|x| if x.is_nan() { f64::INFINITY } else { x }).fold(largest, f64::max);
    }
    Some((values.get(results[0])?, largest))
}

/// The number of a float's bits.
pub fn number(scalar: Scalar, bits: u64) -> f64 {
    float_value(scalar, bits)
}

/// Whether two values are the same: bit for bit, but with `any_nan` any NaN is as good as any other.
pub fn same(scalars: &[Scalar], x: &[u64], y: &[u64], any_nan: bool) -> bool {
    let both_nan = |scalar: Scalar, x, y| scalar.is_float() && number(scalar, x).is_nan() && number(scalar, y).is_nan();
    scalars.iter().zip(x.iter().zip(y)).all(|(&scalar, (&x, &y))| x == y || any_nan && both_nan(scalar, x, y))
}

/// Whether two values are nearly the same: floats within `tolerance` of the larger of their size and one.
pub fn near(scalars: &[Scalar], x: &[u64], y: &[u64], tolerance: f64) -> bool {
    scalars.iter().zip(x.iter().zip(y)).all(|(&scalar, (&x, &y))| {
        if !scalar.is_float() {
            return x == y;
        }
        let (x, y) = (number(scalar, x), number(scalar, y));
        (x - y).abs() <= tolerance * x.abs().max(y.abs()).max(1.0)
    })
}

/// Bits as people read them.
pub fn show(scalars: &[Scalar], bits: &[u64]) -> String {
    let shown = scalars.iter().zip(bits).map(|(&scalar, &bits)| match scalar {
        s if s.is_float() => format!("{:?}", number(s, bits)),
        Scalar::I32 => format!("{}", bits as u32 as i32),
        Scalar::I64 => format!("{}", bits as i64),
        _ => format!("{bits}"),
    });
    shown.collect::<Vec<_>>().join(" ")
}
