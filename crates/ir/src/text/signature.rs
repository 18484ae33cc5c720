//! Signatures in the text form: `shape(p: point{x: _, y: _}, v: [3 x _]) -> {_, _}`. A scalar is `_`.

use std::fmt::Write as _;
use std::sync::Arc;

use super::lex::{Parsed, Token};
use super::parse_value::Reader;
use super::print::write_name;
use crate::signature::{Field, Shape, Signature};
use crate::types::MAX_TYPE_NESTING;

/// Appends the parameters and the result.
pub(crate) fn write_signature(out: &mut String, signature: &Signature) {
    write_fields(out, '(', &signature.params, ')');
    if let Some(result) = &signature.result {
        out.push_str(" -> ");
        write_shape(out, result);
    }
}

/// Recursion: over the shape, at most `MAX_TYPE_NESTING` levels in a valid module.
fn write_fields(out: &mut String, open: char, fields: &[Field], close: char) {
    out.push(open);
    for (i, field) in fields.iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { "" });
        if !field.name.is_empty() {
            write_name(out, &field.name);
            out.push_str(": ");
        }
        write_shape(out, &field.shape);
    }
    out.push(close);
}

/// Recursion: see [`write_fields`].
fn write_shape(out: &mut String, shape: &Shape) {
    match shape {
        Shape::Scalar => out.push('_'),
        Shape::Record { name, fields } => {
            match &**name {
                "" => {}
                "_" => out.push_str("\"_\""),
                name => write_name(out, name),
            }
            write_fields(out, '{', fields, '}');
        }
        Shape::List { element, len } => {
            let _ = write!(out, "[{len} x ");
            write_shape(out, element);
            out.push(']');
        }
    }
}

impl Reader<'_> {
    /// A signature, after the word `shape`.
    pub(super) fn parse_signature(&mut self) -> Parsed<Signature> {
        self.cursor.mark(b'(')?;
        let params = self.parse_fields(b')', 0)?;
        let has_result = self.cursor.peek() == Token::Arrow;
        if has_result {
            self.cursor.bump();
        }
        let result = has_result.then(|| self.parse_shape(0)).transpose()?;
        Ok(Signature { params, result })
    }

    /// Recursion: at most [`MAX_TYPE_NESTING`] levels.
    fn parse_fields(&mut self, close: u8, depth: u32) -> Parsed<Vec<Field>> {
        let mut fields = Vec::new();
        while !self.cursor.eat(close) {
            if !fields.is_empty() {
                self.cursor.mark(b',')?;
            }
            let has_name = matches!(self.cursor.peek(), Token::Word | Token::Text);
            let name = match has_name && self.cursor.peek_at(1) == Token::Mark(b':') {
                true => self.parse_name()?,
                false => Arc::from(""),
            };
            if !name.is_empty() {
                self.cursor.mark(b':')?;
            }
            fields.push(Field { name, shape: self.parse_shape(depth)? });
        }
        Ok(fields)
    }

    /// Recursion: at most [`MAX_TYPE_NESTING`] levels.
    fn parse_shape(&mut self, depth: u32) -> Parsed<Shape> {
        if depth >= MAX_TYPE_NESTING {
            let here = self.cursor.here();
            return Err(self.cursor.error(here, format!("shapes may be nested {MAX_TYPE_NESTING} deep")));
        }
        if self.cursor.eat(b'[') {
            let len = self.cursor.u32()?;
            if !self.cursor.eat_word("x") {
                return Err(self.cursor.expected("`x`"));
            }
            let element = Box::new(self.parse_shape(depth + 1)?);
            self.cursor.mark(b']')?;
            return Ok(Shape::List { element, len });
        }
        if self.cursor.eat_word("_") {
            return Ok(Shape::Scalar);
        }
        let name = match self.cursor.peek() {
            Token::Mark(b'{') => Arc::from(""),
            Token::Word | Token::Text => self.parse_name()?,
            _ => return Err(self.cursor.expected("`_`, a list or a record")),
        };
        self.cursor.mark(b'{')?;
        Ok(Shape::Record { name, fields: self.parse_fields(b'}', depth + 1)? })
    }
}
