//! Ops as nodes of the standard library: one, or several.

use planish_ir::ops::{Imm, Op};

use super::{Comparison, Input, Scalars, VECTORS, Value, Writer, components, splat};

impl Writer<'_> {
    /// An op on values that MaterialX has types for; `None` if it has no nodes for it.
    pub(super) fn apply(
        &mut self,
        wish: &str,
        op: Op,
        imm: Imm,
        ty: &'static str,
        args: &[Scalars],
    ) -> Result<Option<Value>, String> {
        if op == Op::Select {
            return Ok(self.select(wish, ty, args));
        }
        if matches!(op, Op::ConstructVectorFromScalar | Op::ConstructVectorFromMultiple) {
            return Ok(None);
        }
        let args: Vec<Scalars> = args.iter().map(|(value, ty)| (self.settled(value), *ty)).collect();
        let is_float = args.iter().all(|(_, ty)| *ty == "float" || VECTORS.contains(ty));
        let is_integer = args.iter().all(|(_, ty)| *ty == "integer");
        let is_boolean = args.iter().all(|(_, ty)| *ty == "boolean");
        if let Some((category, names)) = direct(op)
            && (is_float || is_integer && matches!(op, Op::Add | Op::Subtract) || is_boolean && ty == "boolean")
        {
            // Of a scalar, a length is its magnitude, and a direction its sign.
            if matches!(op, Op::Length | Op::Distance | Op::Dot | Op::Normalize | Op::Reflect) && args[0].1 == "float" {
                return Ok(self.of_scalars(wish, op, &args));
            }
            if op == Op::Reflect && args[0].1 != "vector3" {
                return Err(format!("`reflect` of `{}`", args[0].1));
            }
            // The second one of two operands may be a number where the first is a vector.
            let mut wide = args.clone();
            let kept = usize::from(names.len() == 2 && args[0].1 == ty && !matches!(op, Op::Atan2));
            for (i, (value, of)) in wide.iter_mut().enumerate() {
                if *of == "float" && VECTORS.contains(&ty) && !(kept == 1 && i == 1) {
                    (*value, *of) = (self.repeated(value, ty), ty);
                }
            }
            let inputs: Vec<Input<'_>> =
                names.iter().zip(&wide).map(|(name, (value, ty))| (*name, *ty, value)).collect();
            return Ok(Some(self.add(wish, category, ty, &inputs)));
        }
        Ok(comparison(op, &args).or_else(|| self.composed(wish, op, imm, ty, &args)))
    }

    /// An operation that is composed of others; `None` if there is no way.
    fn composed(&mut self, wish: &str, op: Op, imm: Imm, ty: &'static str, args: &[Scalars]) -> Option<Value> {
        let mut args = args.to_vec();
        let chooses = matches!(op, Op::Mix | Op::Lerp);
        let count = args.len();
        for (i, (value, of)) in args.iter_mut().enumerate() {
            // The number that chooses between two vectors may stay one.
            if *of == "float" && VECTORS.contains(&ty) && !(chooses && i + 1 == count) {
                (*value, *of) = (self.repeated(value, ty), ty);
            }
        }
        let (x, of) = args.first()?;
        let is_float = *of == "float" || VECTORS.contains(of);
        let by = |w: &mut Self, category: &str, number: f32| {
            w.add(wish, category, ty, &[("in1", of, x), ("in2", of, &splat(number, of))])
        };
        Some(match op {
            Op::Negate if is_float => by(self, "multiply", -1.0),
            Op::Negate if *of == "integer" => {
                self.add(wish, "subtract", ty, &[("in1", of, &Value::Constant("0".into())), ("in2", of, x)])
            }
            Op::Radians => by(self, "multiply", std::f32::consts::PI / 180.0),
            Op::Degrees => by(self, "multiply", 180.0 / std::f32::consts::PI),
            Op::Log2 => {
                let ln = self.add("ln", "ln", ty, &[("in", of, x)]);
                self.add(wish, "divide", ty, &[("in1", of, &ln), ("in2", of, &splat(std::f32::consts::LN_2, of))])
            }
            Op::Exp2 => self.add(wish, "power", ty, &[("in1", of, &splat(2.0, of)), ("in2", of, x)]),
            Op::InverseSqrt => {
                let root = self.add("root", "sqrt", ty, &[("in", of, x)]);
                self.add(wish, "divide", ty, &[("in1", of, &splat(1.0, of)), ("in2", of, &root)])
            }
            Op::Atan => self.add(wish, "atan2", ty, &[("iny", of, x), ("inx", of, &splat(1.0, of))]),
            Op::Saturate => self.add(
                wish,
                "clamp",
                ty,
                &[("in", of, x), ("low", of, &splat(0.0, of)), ("high", of, &splat(1.0, of))],
            ),
            Op::Trunc => {
                let size = self.add("size", "absval", ty, &[("in", of, x)]);
                let whole = self.add("whole", "floor", ty, &[("in", of, &size)]);
                let sign = self.add("sign", "sign", ty, &[("in", of, x)]);
                self.add(wish, "multiply", ty, &[("in1", of, &whole), ("in2", of, &sign)])
            }
            Op::HorizontalAdd if VECTORS.contains(of) => {
                self.add(wish, "dotproduct", ty, &[("in1", of, x), ("in2", of, &splat(1.0, of))])
            }
            Op::MultiplyAdd | Op::Fma if is_float => {
                let product = self.add("product", "multiply", ty, &[("in1", of, x), ("in2", args[1].1, &args[1].0)]);
                self.add(wish, "add", ty, &[("in1", ty, &product), ("in2", args[2].1, &args[2].0)])
            }
            // `lerp` and `mix` of numbers: the last operand chooses.
            Op::Mix | Op::Lerp if is_float => {
                self.add(wish, "mix", ty, &[("fg", ty, &args[1].0), ("bg", ty, x), ("mix", args[2].1, &args[2].0)])
            }
            Op::SmoothStep if rises(x, &args[1].0) => self.add(
                wish,
                "smoothstep",
                ty,
                &[("in", ty, &args[2].0), ("low", of, x), ("high", args[1].1, &args[1].0)],
            ),
            Op::SmoothStep => {
                let subtract =
                    |w: &mut Self, name, a, b| w.add(name, "subtract", ty, &[("in1", ty, a), ("in2", ty, b)]);
                let multiply =
                    |w: &mut Self, name, a, b| w.add(name, "multiply", ty, &[("in1", ty, a), ("in2", ty, b)]);
                let above = subtract(self, "above", &args[2].0, x);
                let width = subtract(self, "width", &args[1].0, x);
                let part = self.add("part", "divide", ty, &[("in1", ty, &above), ("in2", ty, &width)]);
                let [zero, one, two, three] = [0.0, 1.0, 2.0, 3.0].map(|number| splat(number, ty));
                let t = self.add("t", "clamp", ty, &[("in", ty, &part), ("low", ty, &zero), ("high", ty, &one)]);
                let square = multiply(self, "square", &t, &t);
                let twice = multiply(self, "twice", &t, &two);
                let rest = subtract(self, "rest", &three, &twice);
                multiply(self, wish, &square, &rest)
            }
            Op::Step => {
                let parts: Vec<Value> = (0..components(ty))
                    .map(|i| {
                        let edge = self.component(x, of, i as u32);
                        let y = self.component(&args[1].0, args[1].1, i as u32);
                        let (one, zero) = (splat(1.0, "float"), splat(0.0, "float"));
                        let inputs = [
                            ("value1", "float", &y),
                            ("value2", "float", &edge),
                            ("in1", "float", &one),
                            ("in2", "float", &zero),
                        ];
                        self.add(wish, "ifgreatereq", "float", &inputs)
                    })
                    .collect();
                if let [one] = &parts[..] { one.clone() } else { self.combine(wish, &parts) }
            }
            Op::ExtractVectorComponent => self.component(x, of, imm.as_index()),
            Op::ExtractVectorComponentMulti => {
                let parts: Vec<Value> = imm.as_lanes().iter().map(|i| self.component(x, of, i.into())).collect();
                self.combine(wish, &parts)
            }
            Op::ConstructScalarFromScalar => return self.converted(wish, x, of, ty),
            Op::NotEqual if *of == "boolean" => self.add(wish, "xor", ty, &[("in1", of, x), ("in2", of, &args[1].0)]),
            Op::Equal if *of == "boolean" => {
                let differ = self.add("differ", "xor", ty, &[("in1", of, x), ("in2", of, &args[1].0)]);
                self.add(wish, "not", ty, &[("in", ty, &differ)])
            }
            _ => return None,
        })
    }

    /// A number in all components of a vector.
    fn repeated(&mut self, value: &Value, ty: &'static str) -> Value {
        match value {
            Value::Constant(text) => Value::Constant(vec![&**text; components(ty)].join(", ")),
            _ => self.add("repeated", "convert", ty, &[("in", "float", value)]),
        }
    }

    fn of_scalars(&mut self, wish: &str, op: Op, args: &[Scalars]) -> Option<Value> {
        let x = &args[0].0;
        Some(match op {
            Op::Length => self.add(wish, "absval", "float", &[("in", "float", x)]),
            Op::Normalize => self.add(wish, "sign", "float", &[("in", "float", x)]),
            Op::Dot => self.add(wish, "multiply", "float", &[("in1", "float", x), ("in2", "float", &args[1].0)]),
            Op::Distance => {
                let by = self.add("by", "subtract", "float", &[("in1", "float", x), ("in2", "float", &args[1].0)]);
                self.add(wish, "absval", "float", &[("in", "float", &by)])
            }
            _ => return None,
        })
    }

    /// A scalar as another type.
    pub(super) fn converted(&mut self, wish: &str, x: &Value, from: &'static str, to: &'static str) -> Option<Value> {
        Some(match (from, to) {
            _ if from == to => x.clone(),
            ("boolean" | "integer", "float") | ("boolean", "integer") => {
                self.add(wish, "convert", to, &[("in", from, x)])
            }
            ("integer" | "float", "boolean") => {
                let zero = Value::Constant(if from == "float" { "0.0" } else { "0" }.into());
                let (category, negated) = ("ifequal", true);
                Value::Comparison(Comparison { category, ty: from, x: x.clone().into(), y: zero.into(), negated })
            }
            ("float", "integer") => {
                let [below, above] =
                    ["floor", "ceil"].map(|category| self.add("whole", category, to, &[("in", from, x)]));
                let zero = splat(0.0, "float");
                let inputs = [("value1", from, x), ("value2", from, &zero), ("in1", to, &below), ("in2", to, &above)];
                self.add(wish, "ifgreatereq", to, &inputs)
            }
            _ => return None,
        })
    }

    /// A choice by a comparison, or by a truth value; `None` if the condition has several.
    fn select(&mut self, wish: &str, ty: &'static str, args: &[Scalars]) -> Option<Value> {
        let [(condition, of_condition), x, y] = args else { return None };
        if *of_condition != "boolean" {
            return None;
        }
        let [x, y] = [x, y].map(|(value, of)| match self.settled(value) {
            number if *of == "float" => {
                if ty == "float" {
                    number
                } else {
                    self.repeated(&number, ty)
                }
            }
            value => value,
        });
        if ty == "boolean" {
            let c = self.settled(condition);
            let not = self.add("not", "not", ty, &[("in", ty, &c)]);
            let x = self.add("then", "and", ty, &[("in1", ty, &c), ("in2", ty, &x)]);
            let y = self.add("else", "and", ty, &[("in1", ty, &not), ("in2", ty, &y)]);
            return Some(self.add(wish, "or", ty, &[("in1", ty, &x), ("in2", ty, &y)]));
        }
        let (category, of, value1, value2, negated) = match condition.clone() {
            Value::Comparison(Comparison { category, ty, x, y, negated }) => (category, ty, *x, *y, negated),
            other => ("ifequal", "boolean", other, Value::Constant("true".into()), false),
        };
        let (x, y) = if negated { (y, x) } else { (x, y) };
        let inputs = [("value1", of, &value1), ("value2", of, &value2), ("in1", ty, &x), ("in2", ty, &y)];
        Some(self.add(wish, category, ty, &inputs))
    }
}

/// The node that does what an op does, and the names of its inputs.
fn direct(op: Op) -> Option<(&'static str, &'static [&'static str])> {
    const ONE: &[&str] = &["in"];
    const TWO: &[&str] = &["in1", "in2"];
    Some(match op {
        Op::Add => ("add", TWO),
        Op::Subtract => ("subtract", TWO),
        Op::Multiply => ("multiply", TWO),
        Op::Divide => ("divide", TWO),
        Op::Mod => ("modulo", TWO),
        Op::Pow => ("power", TWO),
        Op::Min => ("min", TWO),
        Op::Max => ("max", TWO),
        Op::Dot => ("dotproduct", TWO),
        Op::Cross => ("crossproduct", TWO),
        Op::Distance => ("distance", TWO),
        Op::Atan2 => ("atan2", &["iny", "inx"]),
        Op::Reflect => ("reflect", &["in", "normal"]),
        Op::Clamp => ("clamp", &["in", "low", "high"]),
        Op::Abs => ("absval", ONE),
        Op::Sign => ("sign", ONE),
        Op::Floor => ("floor", ONE),
        Op::Ceil => ("ceil", ONE),
        Op::Fract => ("fract", ONE),
        Op::Round | Op::RoundEven => ("round", ONE),
        Op::Sin => ("sin", ONE),
        Op::Cos => ("cos", ONE),
        Op::Tan => ("tan", ONE),
        Op::Asin => ("asin", ONE),
        Op::Acos => ("acos", ONE),
        Op::Sqrt => ("sqrt", ONE),
        Op::Log => ("ln", ONE),
        Op::Exp => ("exp", ONE),
        Op::Length => ("magnitude", ONE),
        Op::Normalize => ("normalize", ONE),
        Op::LogicalAnd => ("and", TWO),
        Op::LogicalOr => ("or", TWO),
        Op::LogicalXor => ("xor", TWO),
        Op::LogicalNot => ("not", ONE),
        _ => return None,
    })
}

/// A comparison of two numbers.
fn comparison(op: Op, args: &[Scalars]) -> Option<Value> {
    let [(x, ty), (y, _)] = args else { return None };
    if !matches!(*ty, "float" | "integer") {
        return None;
    }
    let (category, swapped, negated) = match op {
        Op::GreaterThan => ("ifgreater", false, false),
        Op::GreaterThanEqual => ("ifgreatereq", false, false),
        Op::LessThan => ("ifgreater", true, false),
        Op::LessThanEqual => ("ifgreatereq", true, false),
        Op::Equal => ("ifequal", false, false),
        Op::NotEqual => ("ifequal", false, true),
        _ => return None,
    };
    let (x, y) = if swapped { (y, x) } else { (x, y) };
    Some(Value::Comparison(Comparison { category, ty, x: x.clone().into(), y: y.clone().into(), negated }))
}

/// Whether the first edge is known to lie below the second in all components: the node gives 0 or 1 for the others, where the op falls
/// from 1 to 0.
fn rises(low: &Value, high: &Value) -> bool {
    let numbers = |value: &Value| match value {
        Value::Constant(text) => text.split(", ").map(|part| part.parse::<f32>().ok()).collect::<Option<Vec<_>>>(),
        _ => None,
    };
    let (Some(low), Some(high)) = (numbers(low), numbers(high)) else { return false };
    low.iter().zip(&high).all(|(low, high)| low < high)
}
