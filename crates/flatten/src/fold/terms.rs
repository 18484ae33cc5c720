//! The terms of one sum, or the factors of one product, and construction of nodes from them.

use planish_ir::builder::{Builder, Request};
use planish_ir::decoration::Precision;
use planish_ir::entity::{Type, Value};
use planish_ir::meaning::float_bits;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use rustc_hash::FxHashMap;

/// Terms with their signs, or factors.
pub(crate) struct Terms<'b, 'm, 'r> {
    b: &'b mut Builder<'m, 'r>,
    ty: Type,
    precision: Precision,
    /// Terms that are added, or factors.
    plus: Vec<Value>,
    /// Terms that are subtracted.
    minus: Vec<Value>,
}

impl<'b, 'm, 'r> Terms<'b, 'm, 'r> {
    /// A list of given terms of one type.
    pub(crate) fn new(
        b: &'b mut Builder<'m, 'r>,
        ty: Type,
        precision: Precision,
        plus: Vec<Value>,
        minus: Vec<Value>,
    ) -> Self {
        Terms { b, ty, precision, plus, minus }
    }

    /// The terms of `op` on `args`, through links of the same chain; unordered.
    pub(crate) fn collect(
        b: &'b mut Builder<'m, 'r>,
        precision: Precision,
        op: Op,
        args: &[Value],
        is_inner: &dyn Fn(Value, &Builder<'_, '_>) -> bool,
    ) -> Self {
        let ty = b.type_of(args[0]);
        let mut terms = Terms::new(b, ty, precision, Vec::new(), Vec::new());
        // With its sign, and whether it is a scalar whose splat is the term.
        let mut work: Vec<(Value, bool, bool)> = Vec::new();
        let push = |op: Op, args: &[Value], sign: bool, spread: bool, work: &mut Vec<_>| match (op, args) {
            (Op::Negate, &[x]) => work.push((x, !sign, spread)),
            (Op::Subtract, &[x, y]) => work.extend([(x, sign, spread), (y, !sign, spread)]),
            (Op::ConstructVectorFromScalar, &[x]) => work.push((x, sign, true)),
            _ => work.extend(args.iter().map(|&x| (x, sign, spread))),
        };
        push(op, args, true, false, &mut work);
        while let Some((value, sign, spread)) = work.pop() {
            match terms.b.definition(value) {
                Some((op, _, args)) if is_inner(value, terms.b) => push(op, args, sign, spread, &mut work),
                _ => {
                    let value = if spread { terms.splat(value) } else { value };
                    if sign { terms.plus.push(value) } else { terms.minus.push(value) }
                }
            }
        }
        terms
    }

    /// The sum: positive terms, then negative ones, then a constant; older values first. Splats are added as scalars
    /// before.
    pub(crate) fn sum(mut self) -> Value {
        let mut constant = self.constant_term();
        if let Some(scalar) = self.scalar() {
            constant = self.add_up_scalars(scalar, constant);
        }
        self.add_up_like_terms();
        self.plus.sort_unstable();
        self.minus.sort_unstable();
        let (plus, minus) = (std::mem::take(&mut self.plus), std::mem::take(&mut self.minus));
        if plus.is_empty() {
            return self.difference(constant, &minus);
        }
        let sum = self.all(Op::Add, &plus);
        let sum = minus.into_iter().fold(sum, |sum, term| self.make(Op::Subtract, &[sum, term]));
        constant.map_or(sum, |c| self.make(Op::Add, &[sum, c]))
    }

    /// Adds terms that are splats, including a constant, as scalars into one term; returns the remaining constant.
    fn add_up_scalars(&mut self, scalar: Type, constant: Option<Value>) -> Option<Value> {
        let mut plus = self.take_scalars(true);
        let minus = self.take_scalars(false);
        if plus.is_empty() && minus.is_empty() {
            return constant;
        }
        let number = constant.and_then(|c| self.one_number(c));
        plus.extend(number);
        let constant = constant.filter(|_| number.is_none());
        let is_negative = plus.is_empty();
        let (plus, minus) = if is_negative { (minus, plus) } else { (plus, minus) };
        let sum = Terms::new(self.b, scalar, self.precision, plus, minus).sum();
        let sum = self.splat(sum);
        match constant {
            _ if sum.as_const().is_none() => {
                if is_negative {
                    self.minus.push(sum)
                } else {
                    self.plus.push(sum)
                }
                constant
            }
            Some(c) => Some(self.make(if is_negative { Op::Subtract } else { Op::Add }, &[c, sum])),
            None if is_negative => Some(self.make(Op::Negate, &[sum])),
            None => Some(sum),
        }
    }

    /// Removes the terms that are splats, and returns their scalars.
    fn take_scalars(&mut self, added: bool) -> Vec<Value> {
        let b = &*self.b;
        let terms = if added { &mut self.plus } else { &mut self.minus };
        let scalars = terms.iter().filter_map(|&v| splat_of(b, v)).collect();
        terms.retain(|&v| splat_of(b, v).is_none());
        scalars
    }

    /// The component type, if the terms are vectors.
    fn scalar(&mut self) -> Option<Type> {
        let types = &mut self.b.module.types;
        let scalar = types.scalar_of(self.ty).filter(|_| types.vector_size(self.ty).is_some_and(|n| n > 1))?;
        Some(types.scalar(scalar))
    }

    fn splat(&mut self, scalar: Value) -> Value {
        let args = [scalar];
        let request = Request::new(Op::ConstructVectorFromScalar, &args).ty(self.ty);
        self.b.make(request.precision(self.precision))
    }

    /// Removes the constant terms, and returns their sum.
    fn constant_term(&mut self) -> Option<Value> {
        let is_constant = |v: &mut Value| v.as_const().is_some();
        let plus: Vec<Value> = self.plus.extract_if(.., is_constant).collect();
        let minus: Vec<Value> = self.minus.extract_if(.., is_constant).collect();
        let sum = plus.into_iter().reduce(|sum, c| self.make(Op::Add, &[sum, c]));
        minus.into_iter().fold(sum, |sum, c| {
            Some(match sum {
                Some(sum) => self.make(Op::Subtract, &[sum, c]),
                None => self.make(Op::Negate, &[c]),
            })
        })
    }

    /// `x * 2 + x * 3 - x → x * 4`: multiples of one value become one term.
    fn add_up_like_terms(&mut self) {
        let mut counts: FxHashMap<Value, u32> = FxHashMap::default();
        for &term in self.plus.iter().chain(&self.minus) {
            *counts.entry(self.multiple(term).0).or_default() += 1;
        }
        if counts.values().all(|&n| n == 1) {
            return;
        }
        let mut multiples: Vec<(Value, Value)> = Vec::new();
        let mut number: FxHashMap<Value, usize> = FxHashMap::default();
        let (plus, minus) = (std::mem::take(&mut self.plus), std::mem::take(&mut self.minus));
        for (op, terms) in [(Op::Add, plus), (Op::Subtract, minus)] {
            for term in terms {
                let (base, factor) = self.multiple(term);
                if counts[&base] == 1 {
                    if op == Op::Add {
                        self.plus.push(term)
                    } else {
                        self.minus.push(term)
                    }
                    continue;
                }
                let factor = factor.unwrap_or_else(|| self.number(1));
                let zero = self.number(0);
                let at = *number.entry(base).or_insert_with(|| {
                    multiples.push((base, zero));
                    multiples.len() - 1
                });
                multiples[at].1 = self.make(op, &[multiples[at].1, factor]);
            }
        }
        for (base, factor) in multiples {
            let term = self.make(Op::Multiply, &[base, factor]);
            match self.b.definition(term) {
                _ if term.as_const().is_some() => {}
                Some((Op::Negate, _, &[x])) => self.minus.push(x),
                _ => self.plus.push(term),
            }
        }
    }

    /// `x` and `c`, if a value is `x * c`.
    fn multiple(&self, value: Value) -> (Value, Option<Value>) {
        match self.b.definition(value) {
            Some((Op::Multiply, _, &[x, c])) if c.as_const().is_some() => (x, Some(c)),
            _ => (value, None),
        }
    }

    /// `c - x - y`, or `-(x + y)`.
    fn difference(&mut self, constant: Option<Value>, minus: &[Value]) -> Value {
        match constant {
            Some(c) => minus.iter().fold(c, |sum, &term| self.make(Op::Subtract, &[sum, term])),
            None if minus.is_empty() => self.number(0),
            None => {
                let sum = self.all(Op::Add, minus);
                self.make(Op::Negate, &[sum])
            }
        }
    }

    /// The product: older values first; then splats, multiplied as scalars; then a constant.
    pub(crate) fn product(mut self) -> Value {
        let mut constants = self.constant_factors();
        self.drop_signs(&mut constants);
        let is_vector = self.scalar().is_some();
        let mut scalars = if is_vector { self.take_scalars(true) } else { Vec::new() };
        self.plus.sort_unstable();
        scalars.sort_unstable();
        if !scalars.is_empty() {
            // Constant splats are multiplied with the scalars.
            for c in std::mem::take(&mut constants) {
                match self.one_number(c) {
                    Some(c) => scalars.push(c),
                    None => constants.push(c),
                }
            }
            let scale = self.all(Op::Multiply, &scalars);
            let scale = self.splat(scale);
            self.plus.push(scale);
        }
        self.plus.append(&mut constants);
        let factors = std::mem::take(&mut self.plus);
        self.all(Op::Multiply, &factors)
    }

    /// Removes the constant factors and returns their product, or several factors if a product would lose precision.
    fn constant_factors(&mut self) -> Vec<Value> {
        let mut constants: Vec<Value> = self.plus.extract_if(.., |v| v.as_const().is_some()).collect();
        constants.sort_unstable();
        let mut products: Vec<Value> = Vec::new();
        for c in constants {
            let known = (0..products.len()).find_map(|i| {
                let product = self.make(Op::Multiply, &[products[i], c]);
                loses_nothing(self.b.module, product, [products[i], c]).then_some((i, product))
            });
            match known {
                Some((i, product)) => products[i] = product,
                None => products.push(c),
            }
        }
        products
    }

    /// `-x * -y → x * y`, `-x * c → x * -c`
    fn drop_signs(&mut self, constants: &mut [Value]) {
        let negated = |b: &Builder<'_, '_>, v: Value| match b.definition(v) {
            Some((Op::Negate, _, &[x])) => Some(x),
            _ => None,
        };
        let count = self.plus.iter().filter(|&&v| negated(self.b, v).is_some()).count();
        let mut rest = match constants.first_mut() {
            Some(c) if count % 2 == 1 => {
                *c = self.b.op(Op::Negate, &[*c]);
                count
            }
            _ => count & !1,
        };
        for factor in &mut self.plus {
            if rest > 0
                && let Some(x) = negated(self.b, *factor)
            {
                *factor = x;
                rest -= 1;
            }
        }
    }

    /// `op` on all values, from the first on.
    fn all(&mut self, op: Op, values: &[Value]) -> Value {
        let (&first, rest) = values.split_first().expect("a chain has terms");
        rest.iter().fold(first, |all, &value| self.make(op, &[all, value]))
    }

    fn make(&mut self, op: Op, args: &[Value]) -> Value {
        self.b.make(Request::new(op, args).precision(self.precision))
    }

    /// The constant with all components 0 or 1.
    fn number(&mut self, number: u8) -> Value {
        let module = &mut *self.b.module;
        let bits = match module.types.scalar_of(self.ty) {
            Some(scalar) if scalar.is_float() => float_bits(scalar, number.into()),
            _ => number.into(),
        };
        module.consts.splat(&mut module.types, self.ty, bits).expect("numbers have constants").into()
    }

    /// The scalar of a constant splat.
    fn one_number(&self, constant: Value) -> Option<Value> {
        let parts = self.b.module.consts.as_parts(constant.as_const()?)?;
        let (&first, rest) = parts.split_first()?;
        rest.iter().all(|&c| c == first).then(|| first.into())
    }
}

/// Whether a product of constants is without loss: for integers always; for floats if it is finite and not subnormal,
/// and zero only if a factor is.
pub(crate) fn loses_nothing(module: &Module, product: Value, factors: [Value; 2]) -> bool {
    let [p, x, y] = [product, factors[0], factors[1]].map(|v| numbers(module, v));
    let good = |((&p, &x), &y): ((&f64, &f64), &f64)| p.is_normal() || p == 0.0 && (x == 0.0 || y == 0.0);
    p.iter().zip(&x).zip(&y).all(good) && p.len() == x.len() && p.len() == y.len()
}

/// The components of a float constant, NaN for subnormal ones; for integers any numbers.
fn numbers(module: &Module, constant: Value) -> Vec<f64> {
    let Some(c) = constant.as_const() else { return vec![f64::NAN] };
    let mut bits = Vec::new();
    module.consts.flatten(c, &mut bits);
    let scalar = module.types.scalar_of(module.consts[c].ty);
    let number = |&bits: &u64| match scalar {
        // Of halves all are taken for subnormal: nothing is concluded from them.
        Some(Scalar::F32) if !f32::from_bits(bits as u32).is_subnormal() => f32::from_bits(bits as u32).into(),
        Some(Scalar::F64) if !f64::from_bits(bits).is_subnormal() => f64::from_bits(bits),
        Some(Scalar::F16 | Scalar::F32 | Scalar::F64) => f64::NAN,
        _ => 1.0,
    };
    bits.iter().map(number).collect()
}

/// The scalar of a splat node without conversion.
fn splat_of(b: &Builder<'_, '_>, vector: Value) -> Option<Value> {
    let Some((Op::ConstructVectorFromScalar, _, &[x])) = b.definition(vector) else { return None };
    let scalar_of = |v: Value| b.module.types.scalar_of(b.type_of(v));
    (scalar_of(x) == scalar_of(vector)).then_some(x)
}
