//! The spelling of WGSL.

use std::fmt::Write;

use planish_back_text::number::float32;
use planish_back_text::syntax::Place;
use planish_back_text::tree::{Callee, Decl, Expr, ExprKind, Infix};
use planish_back_text::{Style, Syntax, Written};
use planish_ir::constant::ConstValue;
use planish_ir::entity::{Const, Func, Type};
use planish_ir::module::Stage;
use planish_ir::types::{AddressSpace, Scalar, TypeKind};

use crate::entry::Entry;
use crate::globals::{Leaf, Tree};
use crate::images;
use crate::writer::Writer;

/// Parameters of an entry point longer than this are written one a line.
const MOST_COLUMNS: usize = 100;

impl<'m> Syntax<'m> for Writer<'m> {
    fn style(&self) -> &Style {
        &Style::WGSL
    }

    fn function_head(&self, function: &Written, out: &mut String) {
        let name = self.known_func(function.func).map(|s| self.name(s)).unwrap_or_default();
        if let Some(entry) = self.entries.iter().find(|e| e.func == function.func) {
            return self.entry_head(entry, &name, function, out);
        }
        let _ = write!(out, "fn {name}(");
        let params = self.params(function);
        out.push_str(&params.join(self.comma()));
        out.push(')');
        let results = &self.module.funcs[function.func].results;
        match results.len() {
            0 => {}
            1 => {
                out.push_str(self.arrow());
                out.push_str(&self.type_name(results[0].ty));
            }
            _ => {
                out.push_str(self.arrow());
                let symbol = self.results.iter().find(|r| r.0 == function.func).map(|r| r.1);
                out.push_str(&symbol.map(|s| self.name(s)).unwrap_or_default());
            }
        }
    }

    fn type_name(&self, ty: Type) -> String {
        if let Some(inner) = self.atomic_of(ty) {
            return format!("atomic<{}>", self.type_name(inner));
        }
        match &self.module.types[ty] {
            TypeKind::Scalar(s) => scalar_name(*s).into(),
            TypeKind::Vector(s, n) => match letter(*s) {
                Some(c) => format!("vec{n}{c}"),
                None => format!("vec{n}<{}>", scalar_name(*s)),
            },
            TypeKind::Matrix { scalar: Scalar::F32, columns, rows } => format!("mat{columns}x{rows}f"),
            TypeKind::Matrix { scalar, columns, rows } => format!("mat{columns}x{rows}<{}>", scalar_name(*scalar)),
            TypeKind::Array { element, len } => {
                format!("array<{}{}{len}>", self.type_name(*element), self.comma())
            }
            TypeKind::RuntimeArray { element } => format!("array<{}>", self.type_name(*element)),
            TypeKind::Pointer { pointee, .. } => {
                format!("ptr<function{}{}>", self.comma(), self.type_name(*pointee))
            }
            TypeKind::Struct(s) => match self.known_struct(ty) {
                Some(symbol) => self.name(symbol).to_string(),
                None => s.name.to_string(),
            },
            // Reported when the type was checked.
            _ => "i32".into(),
        }
    }

    fn declaration_head(&self, decl: &Decl, out: &mut String) {
        let is_literal = decl.init.is_some_and(|e| self.tree.is_literal(e));
        out.push_str(match decl {
            Decl { is_const: true, is_assigned: false, .. } if is_literal => "const ",
            // naga computes with a `let` that is known: what divides by it would be an error.
            Decl { is_assigned: false, init: Some(e), .. } if !self.is_known(*e) => "let ",
            _ => "var ",
        });
    }

    fn declaration_name(&self, decl: &Decl, out: &mut String) {
        out.push_str(&self.name(decl.symbol));
        if decl.init.is_none() {
            out.push_str(if self.minify { ":" } else { ": " });
            out.push_str(&self.type_name(decl.ty));
        }
    }

    fn constant(&self, c: Const, constructor: Option<Type>, out: &mut String) {
        let is_vector = |ty: Type| matches!(self.module.types[ty], TypeKind::Vector(..) | TypeKind::Matrix { .. });
        self.push_constant(c, constructor.is_some_and(is_vector), out);
    }

    fn results(&self, func: Func, out: &mut String) -> &'static str {
        let symbol = self.results.iter().find(|r| r.0 == func).map(|r| r.1);
        out.push_str(&symbol.map(|s| self.name(s)).unwrap_or_default());
        out.push('(');
        ")"
    }

    fn results_head(&self, _: Func, out: &mut String) {
        out.push_str("let ");
    }

    fn result(&self, number: u32, out: &mut String) {
        let _ = write!(out, ".r{number}");
    }

    /// The grammar mixes few operators without parentheses: `*` and `+`, comparisons of those, and `&&` or `||` of
    /// comparisons. Shifts and bit operators take unary operands.
    fn needs_parentheses(&self, place: Place, e: Expr) -> bool {
        let kind = self.tree.kind(e);
        match (place, kind) {
            (Place::Left(outer), ExprKind::Infix(inner, ..)) => !stands_left(outer, inner),
            (Place::Right(outer), ExprKind::Infix(inner, ..)) => !stands_right(outer, inner),
            (Place::Prefix | Place::Postfix, ExprKind::Infix(..)) => true,
            (Place::Postfix, ExprKind::Prefix(..) | ExprKind::AddressOf(_) | ExprKind::Deref(_)) => true,
            (Place::Postfix, _) => self.is_negative(kind),
            // `f(a < b, c > d)` would be a template.
            (Place::Argument, ExprKind::Infix(Infix::Lt, ..)) => true,
            _ => false,
        }
    }
}

/// A group of operators that stand beside each other.
#[derive(PartialEq, PartialOrd)]
enum Level {
    Mul,
    Add,
    Shift,
    Compare,
    Bits,
    Logic,
}

fn level(op: Infix) -> Level {
    match op {
        Infix::Mul | Infix::Div | Infix::Rem => Level::Mul,
        Infix::Add | Infix::Sub => Level::Add,
        Infix::Shl | Infix::Shr => Level::Shift,
        Infix::Lt | Infix::Gt | Infix::Le | Infix::Ge | Infix::Eq | Infix::Ne => Level::Compare,
        Infix::And | Infix::Or | Infix::Xor => Level::Bits,
        Infix::LogicAnd | Infix::LogicOr | Infix::LogicXor => Level::Logic,
    }
}

/// Whether `a inner b outer c` is `(a inner b) outer c`.
fn stands_left(outer: Infix, inner: Infix) -> bool {
    match level(outer) {
        Level::Mul => level(inner) == Level::Mul,
        Level::Add => level(inner) <= Level::Add,
        Level::Shift => false,
        Level::Compare => level(inner) <= Level::Add,
        Level::Bits => inner == outer,
        Level::Logic => inner == outer || matches!(level(inner), Level::Mul | Level::Add | Level::Compare),
    }
}

/// Whether `a outer b inner c` is `a outer (b inner c)`.
fn stands_right(outer: Infix, inner: Infix) -> bool {
    match level(outer) {
        Level::Mul | Level::Shift | Level::Bits => false,
        Level::Add => level(inner) == Level::Mul,
        Level::Compare => level(inner) <= Level::Add,
        Level::Logic => matches!(level(inner), Level::Mul | Level::Add | Level::Compare),
    }
}

fn scalar_name(s: Scalar) -> &'static str {
    s.name()
}

fn letter(s: Scalar) -> Option<char> {
    match s {
        Scalar::F32 => Some('f'),
        Scalar::I32 => Some('i'),
        Scalar::U32 => Some('u'),
        _ => None,
    }
}

impl Writer<'_> {
    fn comma(&self) -> &'static str {
        if self.minify { "," } else { ", " }
    }

    fn arrow(&self) -> &'static str {
        if self.minify { "->" } else { " -> " }
    }

    fn colon(&self) -> &'static str {
        if self.minify { ":" } else { ": " }
    }

    /// Whether an expression depends on nothing but numbers.
    fn is_known(&self, e: Expr) -> bool {
        self.tree.mentioned(e).is_empty() && !matches!(self.tree.kind(e), ExprKind::Call(Callee::User(_), _))
    }

    fn is_negative(&self, kind: ExprKind) -> bool {
        match kind {
            ExprKind::Int(i) => i < 0,
            ExprKind::Float(f) => f.is_sign_negative(),
            ExprKind::Literal(c) => {
                let mut text = String::new();
                self.push_constant(c, false, &mut text);
                text.starts_with('-')
            }
            _ => false,
        }
    }

    /// Parameters of a function that is no entry point.
    fn params(&self, function: &Written) -> Vec<String> {
        let data = &self.module.funcs[function.func];
        let mut texts = vec![];
        for (param, &symbol) in data.params.iter().zip(&function.params) {
            let pointee = self.module.types.pointee(param.ty);
            let inner = pointee.map_or(param.ty, |p| p.0);
            if self.module.types.is_opaque(inner) {
                if let Some(tree) = self.param_trees.get(&symbol) {
                    self.opaque_params(tree, inner, &mut texts);
                }
                continue;
            }
            let ty = match pointee {
                Some((ty, space)) if space != AddressSpace::Handle => {
                    format!("ptr<function{}{}>", self.comma(), self.type_name(ty))
                }
                _ => self.type_name(param.ty),
            };
            texts.push(format!("{}{}{ty}", self.name(symbol), self.colon()));
        }
        texts
    }

    /// Textures and samplers of a parameter. Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn opaque_params(&self, tree: &Tree, ty: Type, out: &mut Vec<String>) {
        match (tree, &self.module.types[ty]) {
            (Tree::Leaf(Leaf { texture, sampler, depth }), kind) => {
                let comparison = match kind {
                    TypeKind::Image(image) => {
                        if let Some(texture) = texture {
                            let text = images::text(*image, *depth, images::Access::Read, Default::default());
                            let text = text.unwrap_or_default();
                            out.push(format!("{}{}{text}", self.name(*texture), self.colon()));
                        }
                        image.shadow
                    }
                    TypeKind::Sampler { comparison } => *comparison,
                    _ => false,
                };
                if let Some(sampler) = sampler {
                    out.push(format!("{}{}{}", self.name(*sampler), self.colon(), images::sampler(comparison)));
                }
            }
            (Tree::Array(parts), TypeKind::Array { element, .. }) => {
                parts.iter().for_each(|p| self.opaque_params(p, *element, out));
            }
            _ => {}
        }
    }

    fn entry_head(&self, entry: &Entry, name: &str, function: &Written, out: &mut String) {
        let end = if self.minify { "" } else { "\n" };
        match entry.stage {
            Stage::Vertex => out.push_str("@vertex"),
            Stage::Fragment => out.push_str("@fragment"),
            _ => {
                out.push_str("@compute");
                out.push_str(if self.minify { "" } else { " " });
                let sizes: Vec<String> = entry
                    .sizes
                    .iter()
                    .map(|(n, by)| match by {
                        // All three have one type; the numbers fit any.
                        Some(by) if by.scalar == Scalar::U32 => self.name(by.symbol).to_string(),
                        Some(by) => format!("u32({})", self.name(by.symbol)),
                        None => n.to_string(),
                    })
                    .collect();
                let written = sizes.iter().rposition(|s| s != "1").unwrap_or(0) + 1;
                let _ = write!(out, "@workgroup_size({})", sizes[..written].join(self.comma()));
            }
        }
        out.push_str(if self.minify { " " } else { end });
        let params: Vec<String> = function
            .own_params
            .iter()
            .map(|symbol| {
                let (attribute, ty) = self.attributes.get(symbol).cloned().unwrap_or((String::new(), Type::F32));
                let space = if self.minify { squeezed_attribute(&attribute) } else { format!("{attribute} ") };
                format!("{space}{}{}{}", self.name(*symbol), self.colon(), self.type_name(ty))
            })
            .collect();
        let _ = write!(out, "fn {name}(");
        let line = params.join(self.comma());
        if self.minify || line.len() + name.len() < MOST_COLUMNS {
            out.push_str(&line);
        } else {
            for param in params {
                let _ = write!(out, "\n    {param},");
            }
            out.push('\n');
        }
        out.push(')');
        match (entry.result, entry.outputs.first()) {
            (Some(ty), _) => {
                out.push_str(self.arrow());
                out.push_str(&self.type_name(ty));
            }
            (None, Some(output)) => {
                out.push_str(self.arrow());
                let attribute = &output.part.attribute;
                let text = if self.minify { squeezed_attribute(attribute) } else { format!("{attribute} ") };
                out.push_str(&text);
                out.push_str(&self.type_name(output.part.ty));
            }
            _ => {}
        }
    }

    /// The declaration of a struct, as lines.
    pub(crate) fn struct_lines(&self, ty: Type) -> Vec<String> {
        let (Some(symbol), Some(s)) = (self.known_struct(ty), self.module.types.as_struct(ty)) else { return vec![] };
        let mut lines = vec![format!("struct {} {{", self.name(symbol))];
        let entry = self.entries.iter().find(|e| e.result == Some(ty));
        for (i, member) in s.members.iter().enumerate() {
            let mut attribute = String::new();
            if let Some(output) = entry.and_then(|e| e.outputs.get(i)) {
                let _ = write!(attribute, "{} ", output.part.attribute);
            }
            if let Some(size) = self.prepared.memory.member_sizes.get(&(ty, i as u32)) {
                let _ = write!(attribute, "@size({size}) ");
            }
            let name = self.member_name(ty, i as u32);
            let comma = if self.minify && i + 1 == s.members.len() { "" } else { "," };
            lines.push(format!("    {attribute}{name}: {}{comma}", self.type_name(member.ty)));
        }
        lines.push("}".into());
        lines
    }

    /// Recursion: over the type of the constant, at most `MAX_TYPE_NESTING` levels.
    pub(crate) fn push_constant(&self, c: Const, in_vector: bool, out: &mut String) {
        let data = &self.module.consts[c];
        match &data.value {
            ConstValue::Bits(bits) => self.push_scalar(c, *bits, in_vector, out),
            ConstValue::Null | ConstValue::Wide(_) => out.push('0'),
            ConstValue::Composite(parts) => {
                out.push_str(&self.type_name(data.ty));
                out.push('(');
                let is_vector = matches!(self.module.types[data.ty], TypeKind::Vector(..));
                let same = parts.iter().all(|p| *p == parts[0]);
                let is_zero = self.is_zero(c);
                match (is_vector, is_zero) {
                    (true, true) if self.minify => {}
                    (false, true) => {}
                    _ => {
                        let is_typed = is_vector || matches!(self.module.types[data.ty], TypeKind::Matrix { .. });
                        let parts = if is_vector && same { &parts[..1] } else { &parts[..] };
                        for (i, &part) in parts.iter().enumerate() {
                            out.push_str(if i > 0 { self.comma() } else { "" });
                            self.push_constant(part, is_typed, out);
                        }
                    }
                }
                out.push(')');
            }
        }
    }

    /// Whether a constant has no bits set. Recursion: over its type.
    fn is_zero(&self, c: Const) -> bool {
        match &self.module.consts[c].value {
            ConstValue::Bits(bits) => *bits == 0,
            ConstValue::Composite(parts) => parts.iter().all(|&p| self.is_zero(p)),
            _ => true,
        }
    }

    fn push_scalar(&self, c: Const, bits: u64, in_vector: bool, out: &mut String) {
        let _ = match self.module.types[self.module.consts[c].ty] {
            TypeKind::Scalar(Scalar::Bool) => write!(out, "{}", bits != 0),
            TypeKind::Scalar(Scalar::I32) => write!(out, "{}", bits as u32 as i32),
            // The constructor of a vector converts the literal.
            TypeKind::Scalar(Scalar::U32) if in_vector && self.minify => write!(out, "{bits}"),
            TypeKind::Scalar(Scalar::U32) => write!(out, "{bits}u"),
            TypeKind::Scalar(Scalar::F32) => {
                let value = f32::from_bits(bits as u32);
                let is_short = in_vector && self.minify && value.fract() == 0.0 && value.abs() < 10_000.0;
                match is_short && (value != 0.0 || bits == 0) {
                    true => write!(out, "{value}"),
                    false => write!(out, "{}", float32(value, self.minify)),
                }
            }
            _ => write!(out, "0"),
        };
    }
}

/// Attributes without spaces that separate nothing.
fn squeezed_attribute(attribute: &str) -> String {
    let mut text = attribute.replace(" @", "@").replace(", ", ",");
    if !text.ends_with(')') {
        text.push(' ');
    }
    text
}
