//! Random expressions of matching kinds, and exports that return random structures.

use arbitrary::{Result, Unstructured};

/// The kind of value that an expression has.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    Real,
    Boolean,
    Pair,
    /// Of a real to a real.
    Procedure,
}

/// Names and their kinds.
pub type Scope = Vec<(String, Kind)>;

/// Writes expressions of matching kinds.
pub struct Writer<'u, 'd> {
    pub u: &'u mut Unstructured<'d>,
    pub scope: Scope,
    pub names: usize,
}

impl Writer<'_, '_> {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    /// A name of this kind, if there is one.
    fn known(&mut self, kind: &Kind) -> Result<Option<String>> {
        let names: Vec<String> =
            self.scope.iter().filter(|(_, known)| known == kind).map(|(name, _)| name.clone()).collect();
        Ok(if names.is_empty() || self.u.ratio(1, 4)? { None } else { Some(self.u.choose(&names)?.clone()) })
    }

    /// An expression with one more name.
    fn with(&mut self, name: &str, kind: Kind, wanted: &Kind, depth: u32) -> Result<String> {
        self.scope.push((name.to_owned(), kind));
        let body = self.expression(wanted, depth);
        self.scope.pop();
        body
    }

    /// A random expression of a kind.
    pub fn expression(&mut self, kind: &Kind, depth: u32) -> Result<String> {
        if (depth == 0 || self.u.ratio(1, 5)?)
            && let Some(name) = self.known(kind)?
        {
            return Ok(name);
        }
        if depth == 0 {
            return self.constant(kind);
        }
        let depth = depth - 1;
        if self.u.ratio(1, 6)? {
            return self.choice(kind, depth);
        }
        if self.u.ratio(1, 6)? {
            return self.binding(kind, depth);
        }
        match kind {
            Kind::Real => self.real(depth),
            Kind::Boolean => self.boolean(depth),
            Kind::Pair => {
                Ok(format!("(cons {} {})", self.expression(&Kind::Real, depth)?, self.expression(&Kind::Real, depth)?))
            }
            Kind::Procedure => self.procedure(depth),
        }
    }

    fn constant(&mut self, kind: &Kind) -> Result<String> {
        let number = f64::from(self.u.int_in_range(-6..=6)?) / 2.0;
        Ok(match kind {
            Kind::Real if self.u.arbitrary()? => format!("(real {number})"),
            Kind::Real => number.to_string(),
            Kind::Boolean => (*self.u.choose(&["#t", "#f"])?).to_owned(),
            Kind::Pair => format!("(cons {number} (real {number}))"),
            Kind::Procedure => (*self.u.choose(&["sin", "square", "-", "abs", "floor", "identity"])?).to_owned(),
        })
    }

    /// Two procedures have no common shape, so the choice between them is by a known condition.
    fn choice(&mut self, kind: &Kind, depth: u32) -> Result<String> {
        let test = match kind {
            Kind::Procedure => self.constant(&Kind::Boolean)?,
            _ => self.expression(&Kind::Boolean, depth)?,
        };
        Ok(format!("(if {test} {} {})", self.expression(kind, depth)?, self.expression(kind, depth)?))
    }

    /// Recursion: `depth` levels, which the caller gives.
    fn binding(&mut self, kind: &Kind, depth: u32) -> Result<String> {
        let bound = self.u.choose(&[Kind::Real, Kind::Real, Kind::Boolean, Kind::Pair, Kind::Procedure])?.clone();
        let name = self.name();
        let value = self.expression(&bound, depth)?;
        let body = self.with(&name, bound, kind, depth)?;
        Ok(format!("(let (({name} {value})) {body})"))
    }

    fn real(&mut self, depth: u32) -> Result<String> {
        let real = &Kind::Real;
        Ok(match self.u.int_in_range(0..=12)? {
            0..=3 => {
                let op = *self.u.choose(&["+", "-", "*", "/", "max", "min", "atan"])?;
                format!("({op} {} {})", self.expression(real, depth)?, self.expression(real, depth)?)
            }
            4 => {
                let op = *self.u.choose(&["sin", "cos", "exp", "sqrt", "abs", "floor", "round", "-", "square"])?;
                format!("({op} {})", self.expression(real, depth)?)
            }
            5 => format!("(expt {} {})", self.expression(real, depth)?, self.u.int_in_range(-2..=3)?),
            6 => format!("({} {})", self.u.choose(&["car", "cdr"])?, self.expression(&Kind::Pair, depth)?),
            7 | 8 => format!("({} {})", self.expression(&Kind::Procedure, depth)?, self.expression(real, depth)?),
            9 => {
                let derivative = *self.u.choose(&["derivative", "derivative", "gradient-f", "gradient-r"])?;
                format!(
                    "(({derivative} {}) {})",
                    self.expression(&Kind::Procedure, depth)?,
                    self.expression(real, depth)?
                )
            }
            10 => {
                let count = self.u.int_in_range(0..=4)?;
                let count = if self.u.arbitrary()? { format!("(real {count})") } else { count.to_string() };
                let start = self.expression(real, depth)?;
                format!("(iterate {count} {} (real {start}))", self.expression(&Kind::Procedure, depth)?)
            }
            11 => {
                let (f, g) = (self.expression(&Kind::Procedure, depth)?, self.expression(&Kind::Procedure, depth)?);
                format!("(sum (map (lambda (f) (f {})) (list {f} {g})))", self.expression(real, depth)?)
            }
            _ => {
                let (pair, name) = (self.expression(&Kind::Pair, depth)?, self.name());
                let body = self.with(&name, Kind::Real, real, depth)?;
                format!("(let (((cons {name} ()) {pair})) {body})")
            }
        })
    }

    fn boolean(&mut self, depth: u32) -> Result<String> {
        Ok(match self.u.int_in_range(0..=4)? {
            0..=2 => {
                let op = *self.u.choose(&["<", "<=", ">", ">=", "="])?;
                format!("({op} {} {})", self.expression(&Kind::Real, depth)?, self.expression(&Kind::Real, depth)?)
            }
            3 => format!("(not {})", self.expression(&Kind::Boolean, depth)?),
            _ => {
                let op = *self.u.choose(&["and", "or"])?;
                let (a, b) = (self.expression(&Kind::Boolean, depth)?, self.expression(&Kind::Boolean, depth)?);
                format!("({op} {a} {b})")
            }
        })
    }

    fn procedure(&mut self, depth: u32) -> Result<String> {
        Ok(match self.u.int_in_range(0..=5)? {
            0 => format!("(derivative {})", self.expression(&Kind::Procedure, depth)?),
            1 => format!(
                "(compose {} {})",
                self.expression(&Kind::Procedure, depth)?,
                self.expression(&Kind::Procedure, depth)?
            ),
            2 => {
                let name = self.name();
                let inner = self.with(&name, Kind::Real, &Kind::Procedure, depth)?;
                format!("((derivative (lambda ({name}) {inner})) {})", self.expression(&Kind::Real, depth)?)
            }
            _ => {
                let name = self.name();
                format!("(lambda ({name}) {})", self.with(&name, Kind::Real, &Kind::Real, depth)?)
            }
        })
    }

    /// A value that may leave the program: numbers and booleans, known or not, in pairs and lists.
    pub fn data(&mut self, shape: &Shape, depth: u32) -> Result<String> {
        if self.u.ratio(1, 6)? {
            let test = self.expression(&Kind::Boolean, depth.min(2))?;
            return Ok(format!("(if {test} {} {})", self.data(shape, depth)?, self.data(shape, depth)?));
        }
        let depth = if self.u.arbitrary()? { depth } else { 0 };
        match shape {
            Shape::Real => self.expression(&Kind::Real, depth),
            Shape::Boolean => self.expression(&Kind::Boolean, depth),
            Shape::Nil => Ok("'()".to_owned()),
            Shape::Pair(a, b) => Ok(format!("(cons {} {})", self.data(a, depth)?, self.data(b, depth)?)),
        }
    }
}

/// The shape of a value that may leave the program.
#[derive(Debug)]
pub enum Shape {
    Real,
    Boolean,
    Nil,
    Pair(Box<Shape>, Box<Shape>),
}

impl Shape {
    pub fn new(u: &mut Unstructured<'_>, depth: u32) -> Result<Self> {
        Ok(match u.int_in_range(0..=if depth == 0 { 4 } else { 9 })? {
            0 | 1 => Shape::Real,
            2 => Shape::Boolean,
            3 | 4 => Shape::Nil,
            _ => Shape::Pair(Shape::new(u, depth - 1)?.into(), Shape::new(u, depth - 1)?.into()),
        })
    }
}

/// The program that a random export is in, without the call: the names that its expressions may use, and a call of it.
pub fn export(u: &mut Unstructured<'_>) -> Result<(String, &'static str)> {
    let scope = vec![
        ("x".to_owned(), Kind::Real),
        ("y".to_owned(), Kind::Real),
        ("known".to_owned(), Kind::Real),
        ("p".to_owned(), Kind::Pair),
        ("b".to_owned(), Kind::Boolean),
        ("f".to_owned(), Kind::Procedure),
    ];
    let shape = Shape::new(u, 3)?;
    let value = Writer { u, scope, names: 0 }.data(&shape, 3)?;
    let text = format!(
        "(define known 1.5)
(define y (real 0.25))
(define (f v) (if (< v known) (* v y) (+ v known)))
(define (out x p b) {value})
(export out (real (cons real real) boolean))
"
    );
    Ok((text, "(out 0.5 (cons 2 -1) #t)"))
}
