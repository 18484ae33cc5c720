//! The spelling of GLSL.

use planish_back_text::tree::Decl;
use planish_back_text::{Style, Syntax, Written};
use planish_ir::decoration::Precision;
use planish_ir::entity::{Const, Type};
use planish_ir::function::Direction;
use planish_ir::types::{Scalar, TypeKind};

use crate::constants;
use crate::writer::Writer;

impl<'m> Syntax<'m> for Writer<'m> {
    fn style(&self) -> &Style {
        &Style::C
    }

    fn function_head(&self, function: &Written, out: &mut String) {
        let data = &self.module.funcs[function.func];
        match data.results.first() {
            None => out.push_str("void"),
            Some(result) => {
                self.push_precision(result.ty, result.precision, out);
                out.push_str(&self.type_name(result.ty));
            }
        }
        out.push(' ');
        out.push_str(&self.known_func(function.func).map(|s| self.name(s)).unwrap_or_default());
        out.push('(');
        let comma = if self.minify { "," } else { ", " };
        for (i, (param, &symbol)) in data.params.iter().zip(&function.params).enumerate() {
            out.push_str(if i > 0 { comma } else { "" });
            out.push_str(direction(param.direction));
            let ty = self.module.types.pointee(param.ty).map_or(param.ty, |(ty, _)| ty);
            self.push_precision(ty, param.precision, out);
            let (base, sizes) = self.type_parts(param.ty);
            out.push_str(&format!("{base} {}{sizes}", self.name(symbol)));
        }
        for (i, &symbol) in function.result_params.iter().enumerate() {
            out.push_str(if i > 0 || !function.params.is_empty() { comma } else { "" });
            let (base, sizes) = self.type_parts(data.results[i + 1].ty);
            out.push_str(&format!("out {base} {}{sizes}", self.name(symbol)));
        }
        out.push(')');
    }

    fn type_name(&self, ty: Type) -> String {
        let (base, sizes) = self.type_parts(ty);
        base + &sizes
    }

    fn declaration_head(&self, decl: &Decl, out: &mut String) {
        if decl.is_const {
            out.push_str("const ");
        }
        if decl.precise && self.target.at_least(320, 400) {
            out.push_str("precise ");
        }
        self.push_precision(decl.ty, decl.precision, out);
        out.push_str(&self.type_parts(decl.ty).0);
        out.push(' ');
    }

    fn declaration_name(&self, decl: &Decl, out: &mut String) {
        out.push_str(&self.name(decl.symbol));
        out.push_str(&self.type_parts(decl.ty).1);
    }

    fn constant(&self, c: Const, constructor: Option<Type>, out: &mut String) {
        if constructor.is_some_and(|ty| self.converts(ty)) {
            constants::push_part(self, c, out);
        } else {
            constants::push_constant(self, c, out);
        }
    }
}

impl Writer<'_> {
    fn push_precision(&self, ty: Type, precision: Precision, out: &mut String) {
        let word = self.precision_word(ty, precision, &self.defaults);
        if !word.is_empty() {
            out.push_str(word);
            out.push(' ');
        }
    }

    /// Whether the constructor of a type takes integers for floats.
    fn converts(&self, ty: Type) -> bool {
        matches!(self.module.types[ty], TypeKind::Vector(Scalar::F32, _) | TypeKind::Matrix { .. })
    }
}

/// The word for a parameter's direction.
fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::In => "",
        Direction::Out => "out ",
        Direction::InOut | Direction::NoAlias => "inout ",
    }
}
