//! Meaning of the results of a function: text with placeholders for the numbers.

use std::sync::Arc;

use planish_ir::source::Span;

use crate::analyze::Analysis;
use crate::analyze::value::{Value, ValueId, Values};
use crate::expand::Shape;

/// Outputs of the program.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Results of each exported function.
    pub outputs: Vec<Output>,
    /// Number of bindings: shapes of procedures and arguments that the program uses.
    pub bindings: usize,
    /// Message of each `error`, by its span, which is that of the trap.
    pub errors: Vec<(Span, Arc<str>)>,
}

impl Answer {
    /// The message of the `error` at a position.
    pub fn error_at(&self, span: Span) -> Option<&str> {
        self.errors.iter().find(|(at, _)| *at == span).map(|(_, message)| &**message)
    }

    /// The results of the function with this name.
    pub fn output(&self, name: &str) -> Option<&Output> {
        self.outputs.iter().find(|output| output.name == name)
    }
}

/// Results of a function.
#[derive(Clone, Debug)]
pub struct Output {
    /// The name by which the function is exported.
    pub name: String,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    /// Text of a value whose parts have names, and that of the list that it is in VL.
    Named(String, &'static str),
    Real,
    Bool,
}

impl Output {
    pub(super) fn new(analysis: &Analysis<'_>, name: &str, value: ValueId, declared: Option<&Shape>) -> Self {
        let mut output = Output { name: name.into(), pieces: vec![] };
        output.add(&analysis.values, value, declared);
        output
    }

    fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.into())),
        }
    }

    /// Recursion: as deep as the value nests, at most `MAX_HEIGHT`; tails of lists are a loop.
    fn add(&mut self, values: &Values, value: ValueId, declared: Option<&Shape>) {
        match values.get(value) {
            Value::Real(_) | Value::AnyReal | Value::Asked(_) => self.pieces.push(Piece::Real),
            Value::Bool(_) | Value::AnyBool => self.pieces.push(Piece::Bool),
            Value::Nil => self.text("()"),
            Value::Token(..) => self.text("#[token]"),
            Value::Node(_) => self.text("#[node]"),
            Value::Closure(..) | Value::Primitive(_) => self.text("#[procedure]"),
            Value::Bottom => self.text("⊥"),
            Value::Bundle(_, primal, tangent) => {
                self.text("#[dual ");
                self.add(values, primal, None);
                self.text(" ");
                self.add(values, tangent, None);
                self.text("]");
            }
            Value::Pair(..) if let Some(Shape::Record(name, parts)) = declared => {
                let mut rest = value;
                for (index, (part, shape)) in parts.iter().enumerate() {
                    let Value::Pair(item, tail) = values.get(rest) else { break };
                    let text = if index == 0 { format!("#[{name} {part}: ") } else { format!(" {part}: ") };
                    self.pieces.push(Piece::Named(text, if index == 0 { "(" } else { " " }));
                    self.add(values, item, Some(shape));
                    rest = tail;
                }
                self.pieces.push(Piece::Named("]".into(), ")"));
            }
            Value::Pair(..) => {
                self.text("(");
                let (mut rest, mut declared) = (value, declared);
                while let Value::Pair(item, tail) = values.get(rest)
                    && !matches!(declared, Some(Shape::Record(..)))
                {
                    if rest != value {
                        self.text(" ");
                    }
                    let parts = if let Some(Shape::Pair(parts)) = declared { Some(&**parts) } else { None };
                    self.add(values, item, parts.map(|parts| &parts.0));
                    declared = parts.map(|parts| &parts.1);
                    rest = tail;
                }
                if rest != Values::NIL {
                    self.text(" . ");
                    self.add(values, rest, declared);
                }
                self.text(")");
            }
        }
    }

    /// Number of scalars.
    pub fn width(&self) -> usize {
        self.pieces.iter().filter(|piece| matches!(piece, Piece::Real | Piece::Bool)).count()
    }

    /// The value as VL writes it, from the scalars that the function gave: the bits of `f64`s, and booleans as 0 and 1. The parts of declared
    /// records have their names, as in `#[point x: 1 y: 2]`.
    pub fn show(&self, scalars: &[u64]) -> String {
        self.written(scalars, true)
    }

    /// The same without the names: a record is a list.
    pub fn show_lists(&self, scalars: &[u64]) -> String {
        self.written(scalars, false)
    }

    fn written(&self, scalars: &[u64], with_names: bool) -> String {
        let mut scalars = scalars.iter().copied();
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Named(named, plain) => text.push_str(if with_names { named } else { plain }),
                Piece::Real => text.push_str(&crate::show::real(scalars.next().unwrap_or(0))),
                Piece::Bool => text.push_str(if scalars.next() == Some(0) { "#f" } else { "#t" }),
            }
        }
        text
    }
}
