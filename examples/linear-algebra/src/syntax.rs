//! Reads the language.
//!
//! ```text
//! program    = definition*
//! definition = name "(" (name ":" shape),* ")" "=" sum
//! shape      = NUMBER | NUMBER "x" NUMBER                   a vector, or rows and columns of a matrix
//! sum        = product ("+" product)*
//! product    = factor ("*" factor)*                         from the left: A * B * v is (A * B) * v
//! factor     = (name | "identity" "(" NUMBER ")" | "(" sum ")") "'"*       ' transposes
//! ```

use std::sync::Arc;

use planish::ir::builder::{Builder, Policy};
use planish::ir::decoration::{Name, Precision};
use planish::ir::entity::Value;
use planish::ir::function::{Direction, Param, ResultType};
use planish::ir::module::{EntryPoint, Language, Module, StageProperties};
use planish::ir::source::Span;

use crate::language::{Shape, add_ops};

/// Parentheses inside each other.
const MAX_DEPTH: u32 = 100;

/// Numbers in one value.
const MAX_NUMBERS: u32 = 1 << 16;

/// A mistake in a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// Its place, in bytes of the text.
    pub span: Span,
    /// The reason.
    pub message: String,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "at {}: {}", self.span.start, self.message)
    }
}

/// A module with an exported function for each definition; its operations are the ops of the language.
///
/// # Errors
/// The first mistake.
pub fn compile(text: &str) -> Result<Module, Error> {
    let mut module = Module::new(Language::Ir);
    add_ops(&mut module);
    let mut parser = Parser { text, at: 0, params: Vec::new(), depth: 0 };
    parser.space();
    while parser.at < text.len() {
        parser.definition(&mut module)?;
    }
    Ok(module)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    params: Vec<(&'a str, Shape)>,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn space(&mut self) {
        self.at = self.text.len() - self.text[self.at..].trim_start().len();
    }

    fn error<T>(&self, start: usize, message: impl Into<String>) -> Result<T, Error> {
        let end = self.at.max(start + 1).min(self.text.len()).max(start);
        Err(Error { span: Span::new(start as u32, end as u32), message: message.into() })
    }

    /// The characters that satisfy `is_part`, and the space behind them.
    fn take(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let part = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        self.at += part.len();
        self.space();
        part
    }

    fn eat(&mut self, mark: char) -> bool {
        let found = self.text[self.at..].starts_with(mark);
        if found {
            self.at += mark.len_utf8();
            self.space();
        }
        found
    }

    fn mark(&mut self, mark: char) -> Result<(), Error> {
        if self.eat(mark) { Ok(()) } else { self.error(self.at, format!("expected `{mark}`")) }
    }

    fn name(&mut self) -> Result<&'a str, Error> {
        let start = self.at;
        match self.take(char::is_alphabetic) {
            "" => self.error(start, "expected a name"),
            name => Ok(name),
        }
    }

    fn number(&mut self) -> Result<u32, Error> {
        let start = self.at;
        match self.take(|c| c.is_ascii_digit()).parse() {
            Ok(number @ 1..=MAX_NUMBERS) => Ok(number),
            _ => self.error(start, format!("expected a number from 1 to {MAX_NUMBERS}")),
        }
    }

    fn shape(&mut self) -> Result<Shape, Error> {
        let start = self.at;
        let rows = self.number()?;
        if !self.eat('x') {
            return Ok(Shape::Vector(rows));
        }
        let columns = self.number()?;
        match rows.checked_mul(columns) {
            Some(..=MAX_NUMBERS) => Ok(Shape::Matrix(rows, columns)),
            _ => self.error(start, format!("a matrix has at most {MAX_NUMBERS} numbers")),
        }
    }

    fn definition(&mut self, module: &mut Module) -> Result<(), Error> {
        let start = self.at;
        let name = self.name()?;
        self.params.clear();
        self.mark('(')?;
        while !self.eat(')') {
            if !self.params.is_empty() {
                self.mark(',')?;
            }
            let start = self.at;
            let name = self.name()?;
            if self.params.iter().any(|(other, _)| *other == name) {
                return self.error(start, format!("there are two parameters `{name}`"));
            }
            self.mark(':')?;
            let shape = self.shape()?;
            self.params.push((name, shape));
        }
        self.mark('=')?;
        let (precision, span) = (Precision::None, Span::new(start as u32, self.at as u32));
        let param = |module: &mut Module, (name, shape): (&str, Shape)| {
            let ty = shape.ty(&mut module.types);
            Param { name: Name::temporary(name), ty, precision, direction: Direction::In, span }
        };
        let params = self.params.clone().into_iter().map(|p| param(module, p)).collect();
        let func = module.add_func(Name::temporary(name), params, Vec::new(), span);
        let mut b = Builder::new(module, func, Policy::PLAIN);
        let value = self.sum(&mut b)?;
        let ty = b.type_of(value);
        b.ret(&[value]);
        b.finish();
        let params: Vec<_> = module.funcs[func].params.iter().map(|p| p.ty).collect();
        module.funcs[func].results = vec![ResultType { ty, precision }];
        module.funcs[func].ty = module.types.function(&params, &[ty]);
        let names = vec![Arc::from(name)];
        module.entry_points.push(EntryPoint { names, func, stage: None, properties: StageProperties::default() });
        Ok(())
    }

    fn sum(&mut self, b: &mut Builder<'_, '_>) -> Result<Value, Error> {
        let start = self.at;
        let mut sum = self.product(b)?;
        while self.eat('+') {
            let right = self.product(b)?;
            sum = self.apply(b, "add", &[sum, right], start)?;
        }
        Ok(sum)
    }

    fn product(&mut self, b: &mut Builder<'_, '_>) -> Result<Value, Error> {
        let start = self.at;
        let mut product = self.factor(b)?;
        while self.eat('*') {
            let right = self.factor(b)?;
            let shape = Shape::of(&b.module.types, b.type_of(right));
            let op = if matches!(shape, Some(Shape::Vector(_))) { "mat_vec" } else { "mat_mul" };
            product = self.apply(b, op, &[product, right], start)?;
        }
        Ok(product)
    }

    fn factor(&mut self, b: &mut Builder<'_, '_>) -> Result<Value, Error> {
        let start = self.at;
        let mut value = if self.eat('(') {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return self.error(start, format!("parentheses may be nested {MAX_DEPTH} deep"));
            }
            let value = self.sum(b)?;
            self.mark(')')?;
            self.depth -= 1;
            value
        } else {
            self.named(b)?
        };
        while self.eat('\'') {
            value = self.apply(b, "transpose", &[value], start)?;
        }
        Ok(value)
    }

    fn named(&mut self, b: &mut Builder<'_, '_>) -> Result<Value, Error> {
        let start = self.at;
        let name = self.name()?;
        if let Some(index) = self.params.iter().position(|(other, _)| *other == name) {
            return Ok(b.param(index));
        }
        if name != "identity" {
            return self.error(start, format!("there is no `{name}`"));
        }
        self.mark('(')?;
        let size = self.number()?;
        self.mark(')')?;
        if size.checked_mul(size).is_none_or(|numbers| numbers > MAX_NUMBERS) {
            return self.error(start, format!("a matrix has at most {MAX_NUMBERS} numbers"));
        }
        let ty = Shape::Matrix(size, size).ty(&mut b.module.types);
        let op = b.module.custom_op(name).expect("it is an op of the language");
        b.at(Span::new(start as u32, self.at as u32));
        Ok(b.custom_typed(op, &[], &[ty])[0])
    }

    /// An op of the language; the text from `start` on is what it stands for.
    fn apply(&self, b: &mut Builder<'_, '_>, op: &str, args: &[Value], start: usize) -> Result<Value, Error> {
        b.at(Span::new(start as u32, self.at as u32));
        let op = b.module.custom_op(op).expect("it is an op of the language");
        match b.try_custom(op, args) {
            Ok(results) => Ok(results[0]),
            Err(error) => self.error(start, error.0),
        }
    }
}
