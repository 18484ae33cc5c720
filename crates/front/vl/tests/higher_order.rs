//! Derivatives of procedures that take and give procedures: Church numerals, pairs made of closures, continuations, compositions.
//!
//! The truth is a typed interpreter of a few lines: numbers are polynomials in infinitesimals whose squares are zero, and the
//! derivative of a procedure that gives procedures is taken at each argument of what it gives, (D f) x = a ↦ D (x ↦ f x a) x.
//! So it renames nothing and looks into no closure.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use arbitrary::{Result, Unstructured};
use planish_testkit::vl::{evaluate, run, seeded};

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Type {
    Real,
    To(Rc<Type>, Rc<Type>),
}

fn to(from: Type, result: Type) -> Type {
    Type::To(from.into(), result.into())
}

/// A number, as coefficients of products of infinitesimals, which are sorted lists of their numbers.
#[derive(Clone, Default, Debug)]
struct Number(BTreeMap<Vec<u32>, f64>);

impl Number {
    fn constant(value: f64) -> Self {
        Number([(vec![], value)].into())
    }

    fn value(&self) -> f64 {
        self.0.get(&vec![]).copied().unwrap_or(0.0)
    }

    fn plus(&self, other: &Number, factor: f64) -> Number {
        let mut sum = self.clone();
        for (product, c) in &other.0 {
            *sum.0.entry(product.clone()).or_default() += c * factor;
        }
        sum
    }

    fn times(&self, other: &Number) -> Number {
        let mut result = Number::default();
        for (p, c) in &self.0 {
            for (q, d) in other.0.iter().filter(|(q, _)| q.iter().all(|e| !p.contains(e))) {
                let mut product: Vec<u32> = p.iter().chain(q).copied().collect();
                product.sort_unstable();
                *result.0.entry(product).or_default() += c * d;
            }
        }
        result
    }

    /// A function by its Taylor series, which ends: what is infinitesimal has a power that is zero. `derivatives` gives those
    /// of the function at the value, the function first.
    fn apply(&self, derivatives: impl Fn(f64, u32) -> f64) -> Number {
        let (at, mut order) = (self.value(), 0);
        let infinitesimal = self.plus(&Number::constant(at), -1.0);
        let infinitesimal = Number(infinitesimal.0.into_iter().filter(|(product, _)| !product.is_empty()).collect());
        let (mut power, mut factorial) = (Number::constant(1.0), 1.0);
        let mut sum = Number::default();
        while !power.0.is_empty() {
            sum = sum.plus(&power, derivatives(at, order) / factorial);
            order += 1;
            factorial *= f64::from(order);
            power = power.times(&infinitesimal);
        }
        sum
    }

    /// The coefficient of an infinitesimal.
    fn by(&self, token: u32) -> Number {
        let with = self.0.iter().filter(|(product, _)| product.contains(&token));
        Number(with.map(|(p, &c)| (p.iter().copied().filter(|&e| e != token).collect(), c)).collect())
    }
}

fn sine(x: f64, order: u32) -> f64 {
    [x.sin(), x.cos(), -x.sin(), -x.cos()][order as usize % 4]
}

/// A value.
#[derive(Clone)]
enum Value {
    Number(Number),
    Procedure(Rc<dyn Fn(Value) -> Value>),
}

impl Value {
    fn number(&self) -> &Number {
        match self {
            Value::Number(number) => number,
            Value::Procedure(_) => unreachable!("terms have types"),
        }
    }

    fn call(&self, argument: Value) -> Value {
        match self {
            Value::Procedure(procedure) => procedure(argument),
            Value::Number(_) => unreachable!("terms have types"),
        }
    }
}

/// The derivative at `x` of what gives values of a type for numbers.
fn derivative(f: Rc<dyn Fn(Value) -> Value>, x: Number, ty: &Type, tokens: &Rc<Cell<u32>>) -> Value {
    match ty {
        Type::Real => {
            let token = tokens.get();
            tokens.set(token + 1);
            let marked = x.plus(&Number([(vec![token], 1.0)].into()), 1.0);
            Value::Number(f(Value::Number(marked)).number().by(token))
        }
        Type::To(_, result) => {
            let (result, tokens) = (result.clone(), tokens.clone());
            Value::Procedure(Rc::new(move |argument| {
                let f = f.clone();
                let applied = move |x| f(x).call(argument.clone());
                derivative(Rc::new(applied), x.clone(), &result, &tokens)
            }))
        }
    }
}

/// A term.
#[derive(Debug)]
enum Term {
    Number(f64, bool),
    Variable(usize),
    Lambda(usize, Rc<Term>),
    Apply(Rc<Term>, Rc<Term>),
    Operation(&'static str, Vec<Rc<Term>>),
    /// The second if the first is less than the number, else the third.
    If(Rc<Term>, f64, Rc<Term>, Rc<Term>),
    /// An operator, what it is applied to, a number, and the type that the procedure gives.
    Derivative(&'static str, Rc<Term>, Rc<Term>, Type),
}

impl Term {
    fn text(&self) -> String {
        match self {
            Term::Number(n, true) => format!("(real {n})"),
            Term::Number(n, false) => n.to_string(),
            Term::Variable(v) => format!("v{v}"),
            Term::Lambda(v, body) => format!("(lambda (v{v}) {})", body.text()),
            Term::Apply(f, a) => format!("({} {})", f.text(), a.text()),
            Term::Operation(name, args) => {
                let args: Vec<String> = args.iter().map(|arg| arg.text()).collect();
                format!("({name} {})", args.join(" "))
            }
            Term::If(x, limit, a, b) => format!("(if (< {} {limit}) {} {})", x.text(), a.text(), b.text()),
            Term::Derivative(name, f, x, _) => format!("(({name} {}) {})", f.text(), x.text()),
        }
    }

    fn evaluate(self: &Rc<Term>, names: &BTreeMap<usize, Value>, tokens: &Rc<Cell<u32>>) -> Value {
        let number = |term: &Rc<Term>| term.evaluate(names, tokens).number().clone();
        Value::Number(match &**self {
            Term::Number(n, _) => Number::constant(*n),
            Term::Variable(v) => return names[v].clone(),
            Term::Lambda(v, body) => {
                let (v, body, names, tokens) = (*v, body.clone(), names.clone(), tokens.clone());
                return Value::Procedure(Rc::new(move |argument| {
                    let mut names = names.clone();
                    names.insert(v, argument);
                    body.evaluate(&names, &tokens)
                }));
            }
            Term::Apply(f, a) => return f.evaluate(names, tokens).call(a.evaluate(names, tokens)),
            Term::Operation(name, args) => {
                let args: Vec<Number> = args.iter().map(number).collect();
                match (*name, &args[..]) {
                    ("+", [a, b]) => a.plus(b, 1.0),
                    ("-", [a, b]) => a.plus(b, -1.0),
                    ("*", [a, b]) => a.times(b),
                    ("square", [a]) => a.times(a),
                    ("sin", [a]) => a.apply(sine),
                    ("cos", [a]) => a.apply(|x, order| sine(x, order + 1)),
                    other => unreachable!("{other:?}"),
                }
            }
            Term::If(x, limit, a, b) => number(if number(x).value() < *limit { a } else { b }),
            Term::Derivative(_, f, x, ty) => {
                let (f, x) = (f.evaluate(names, tokens), number(x));
                return derivative(Rc::new(move |x| f.call(x)), x, ty, tokens);
            }
        })
    }
}

struct Writer<'u, 'd> {
    u: &'u mut Unstructured<'d>,
    scope: Vec<(usize, Type)>,
    names: usize,
    /// Number of terms that may still be made.
    fuel: u32,
}

/// Types of what is passed around: numbers, procedures, continuations, numerals, pairs, and what takes continuations.
fn any_type(u: &mut Unstructured<'_>) -> Result<Type> {
    use Type::Real;
    let procedure = || to(Real, Real);
    Ok(match u.int_in_range(0..=7)? {
        0 | 1 => Real,
        2 => procedure(),
        3 => to(procedure(), Real),
        4 => to(procedure(), procedure()),
        5 => to(Real, procedure()),
        6 => to(to(Real, procedure()), Real),
        _ => to(to(procedure(), Real), Real),
    })
}

impl Writer<'_, '_> {
    fn term(&mut self, ty: &Type, depth: u32) -> Result<Rc<Term>> {
        self.fuel = self.fuel.saturating_sub(1);
        let is_last = depth == 0 || self.fuel == 0;
        if (is_last || self.u.ratio(1, 2)?)
            && let Some(term) = self.use_of_a_name(ty, depth)?
        {
            return Ok(term);
        }
        let depth = depth.saturating_sub(1);
        match ty {
            Type::To(from, result) if is_last || self.u.ratio(2, 3)? => self.lambda(from, result, depth),
            Type::Real if is_last => {
                let n = f64::from(self.u.int_in_range(-4..=4)?) / 4.0;
                Ok(Rc::new(Term::Number(n, self.u.arbitrary()?)))
            }
            _ => match self.u.int_in_range(0..=7)? {
                0..=2 => self.derivative(ty, depth),
                3 | 4 => {
                    let from = any_type(self.u)?;
                    let f = self.term(&to(from.clone(), ty.clone()), depth)?;
                    Ok(Rc::new(Term::Apply(f, self.term(&from, depth)?)))
                }
                _ if *ty == Type::Real => self.operation(depth),
                _ => self.derivative(ty, depth),
            },
        }
    }

    fn lambda(&mut self, from: &Type, result: &Type, depth: u32) -> Result<Rc<Term>> {
        self.names += 1;
        let name = self.names;
        self.scope.push((name, from.clone()));
        let body = self.term(result, depth);
        self.scope.pop();
        Ok(Rc::new(Term::Lambda(name, body?)))
    }

    /// A name, applied until it gives a value of the type.
    fn use_of_a_name(&mut self, ty: &Type, depth: u32) -> Result<Option<Rc<Term>>> {
        let gives = |mut known: &Type| {
            let mut arguments = Vec::new();
            while known != ty {
                let Type::To(from, result) = known else { return None };
                arguments.push((**from).clone());
                known = result;
            }
            (depth > 0 || arguments.is_empty()).then_some(arguments)
        };
        let fitting: Vec<(usize, Vec<Type>)> =
            self.scope.iter().filter_map(|(name, known)| Some((*name, gives(known)?))).collect();
        if fitting.is_empty() {
            return Ok(None);
        }
        let (name, arguments) = self.u.choose(&fitting)?.clone();
        let mut term = Rc::new(Term::Variable(name));
        for argument in arguments {
            term = Rc::new(Term::Apply(term, self.term(&argument, depth - 1)?));
        }
        Ok(Some(term))
    }

    fn derivative(&mut self, ty: &Type, depth: u32) -> Result<Rc<Term>> {
        let f = self.lambda(&Type::Real, ty, depth)?;
        let x = self.term(&Type::Real, depth)?;
        let name = if *ty != Type::Real { "derivative" } else { self.u.choose(&["derivative", "gradient-r"])? };
        Ok(Rc::new(Term::Derivative(name, f, x, ty.clone())))
    }

    fn operation(&mut self, depth: u32) -> Result<Rc<Term>> {
        let real = |this: &mut Self| this.term(&Type::Real, depth);
        Ok(Rc::new(match self.u.int_in_range(0..=7)? {
            0 => Term::If(real(self)?, f64::from(self.u.int_in_range(-4..=4)?) / 4.0 + 0.1, real(self)?, real(self)?),
            1 | 2 => {
                let name = *self.u.choose(&["sin", "cos", "square"])?;
                Term::Operation(name, vec![real(self)?])
            }
            _ => {
                let name = *self.u.choose(&["+", "-", "*", "*"])?;
                Term::Operation(name, vec![real(self)?, real(self)?])
            }
        }))
    }
}

/// Counts of what became of programs.
#[derive(Default, Debug)]
struct Counts {
    compared: u32,
    /// Derivatives of what gives a procedure, which are not zero.
    higher: u32,
    refused: u32,
}

fn check(text: &str, truth: f64, counts: &mut Counts) {
    let path = Path::new("higher_order.vl");
    let interpreted = match run(path, text, &[]) {
        Ok((value, _)) => value,
        Err(errors) => panic!("{text}\n{}", errors.join("; ")),
    };
    let agrees = |found: &str| {
        let found: f64 = found.parse().unwrap_or_else(|_| panic!("{text}\ngives {found}, and not {truth}"));
        (found - truth).abs() <= 1e-9 * (1.0 + truth.abs())
    };
    assert!(agrees(&interpreted), "{text}\n{interpreted}, and not {truth}");
    match evaluate(path, text, &[], "main", &[]) {
        Ok(found) => {
            let (found, _) = found.expect("a number");
            assert!(agrees(&found), "{text}\ncompiled {found}, and not {truth}");
            counts.compared += 1;
        }
        Err(errors) => {
            assert!(errors.iter().all(|e| e.contains("E0815")), "{text}\n{}", errors.join("; "));
            counts.refused += 1;
        }
    }
}

fn compare(u: &mut Unstructured<'_>, counts: &mut Counts) -> Result<()> {
    let ty = any_type(u)?;
    let mut writer = Writer { u, scope: Vec::new(), names: 0, fuel: 24 };
    // A function from a number to some type, differentiated; then applied until the result is a number.
    let mut term = writer.derivative(&ty, 5)?;
    let mut rest = &ty;
    while let Type::To(from, result) = rest {
        term = Rc::new(Term::Apply(term, writer.term(from, 4)?));
        rest = result;
    }
    let value = term.evaluate(&BTreeMap::new(), &Rc::default());
    let truth = value.number().value();
    if truth.abs() > 1e6 || !truth.is_finite() {
        return Ok(());
    }
    counts.higher += u32::from(ty != Type::Real && truth != 0.0);
    check(&term.text(), truth, counts);
    Ok(())
}

#[test]
fn derivatives_of_procedures_that_hand_on_procedures() {
    let mut counts = Counts::default();
    seeded(150, 600, |u| compare(u, &mut counts));
    assert!(counts.compared > 20 * counts.refused && counts.higher > 15, "{counts:?}");
}
