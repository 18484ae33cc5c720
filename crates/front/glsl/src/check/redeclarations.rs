//! Redeclarations: of built-in variables, and qualifiers of names (`invariant gl_Position;`).

use planish_ir::decoration::Decoration;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Var};
use planish_ir::module::Stage;
use planish_ir::source::Span;
use planish_ir::types::TypeKind;

use super::layouts::{self, Key};
use super::meshes::Output;
use super::names::Entity;
use super::qualifiers::Qualifiers;
use super::{Checked, Checker};
use crate::ast::*;

impl Checker<'_, '_> {
    /// `in vec4 gl_FragCoord;`, `out float gl_ClipDistance[4];`, `invariant varying vec2 …`
    pub(super) fn redeclare_builtin(&mut self, declarator: &Declarator, base: Checked<Type>, q: &Qualifiers) {
        let name = declarator.name;
        let text = self.text(name.symbol);
        let Ok(base) = base else { return };
        let Ok(ty) = self.with_dims(base, declarator.dims) else { return };
        let Ok(entity) = self.resolve_to_declare(name) else { return };
        let Entity::Variable { address, ty: known, access } = entity else {
            self.fail(Code::E0408, name.span, format!("`{text}` cannot be declared again"));
            return;
        };
        let fits = match (self.kind(ty), self.kind(known)) {
            (
                TypeKind::Array { element: a, .. } | TypeKind::RuntimeArray { element: a },
                TypeKind::Array { element: b, .. },
            ) => a == b,
            _ => ty == known,
        };
        if Output::named(text).is_some() {
            let is_open = matches!(self.kind(ty), TypeKind::RuntimeArray { .. });
            if !(fits && (is_open || ty == known)) {
                self.wrong_redeclaration(text, known, name.span);
            }
            return;
        }
        let changeable = [
            "gl_FragCoord",
            "gl_FragDepth",
            "gl_ClipDistance",
            "gl_CullDistance",
            "gl_TexCoord",
            "gl_LastFragData",
            "gl_Position",
            "gl_PointSize",
            "gl_SampleMask",
            "gl_FragColor",
            "gl_FragData",
            "gl_Color",
            "gl_FrontColor",
            "gl_BackColor",
        ];
        if !fits || !changeable.contains(&text) {
            self.wrong_redeclaration(text, known, name.span);
            return;
        }
        let places = layouts::INPUT | layouts::OUTPUT;
        let layout = self.layout_decorations(&q.layout, places, "this built-in variable");
        let Some(var) = address.as_var() else { return };
        self.capture(ty, &layout, name.span);
        let resized = ty != known && matches!(self.kind(ty), TypeKind::Array { .. });
        if resized {
            self.resize_builtin(var, ty);
            let entity = Entity::Variable { address, ty, access };
            self.builtins.insert(name.symbol, entity);
        }
        for decoration in q.decorations().iter().chain(layout.iter()) {
            self.b.module.vars[var].decorations.add(decoration);
        }
        if let Some((precision, _)) = q.precision {
            self.b.module.vars[var].precision = precision;
        }
    }

    #[cold]
    fn wrong_redeclaration(&mut self, text: &str, known: Type, span: Span) {
        let wanted = self.type_name(known);
        self.error(
            Diagnostic::error(Code::E0408, span, format!("`{text}` cannot be declared again like this"))
                .note(format!("it is a built-in variable of type `{wanted}`")),
        );
    }

    fn resize_builtin(&mut self, var: Var, ty: Type) {
        let space = self.b.module.vars[var].space;
        let pointer = self.b.module.types.pointer(ty, space);
        let data = &mut self.b.module.vars[var];
        data.ty = ty;
        data.pointer = pointer;
    }

    /// `layout(local_size_x = 8) in;`, `invariant gl_Position;`, `precise a, b;`
    pub(super) fn qualifier_declaration(&mut self, qualifiers: List<Qualifier>, names: List<Name>, span: Span) {
        let q = self.qualifiers(qualifiers);
        if names.is_empty() {
            self.shader_layout(&q, span);
            return;
        }
        let ast = self.ast;
        for &name in &ast[names] {
            if q.layout.find(Key::BufferReference).is_some() {
                self.declare_references(name, &q);
            }
            if q.invariant.is_some() {
                self.decorate(name, Decoration::Invariant);
            }
            if q.precise.is_some() {
                self.decorate(name, Decoration::Precise);
            }
        }
    }

    fn decorate(&mut self, name: Name, decoration: Decoration) {
        let Ok(entity) = self.resolve_to_declare(name) else { return };
        let text = self.text(name.symbol);
        match entity {
            Entity::Variable { address, .. } => {
                if decoration == Decoration::Invariant {
                    self.check_invariant(text, address.as_var(), name.span);
                }
                if let Some(var) = address.as_var() {
                    self.b.module.vars[var].decorations.add(decoration);
                }
            }
            Entity::Member { .. } | Entity::Value { .. } => {}
            _ => {
                self.fail(Code::E0316, name.span, format!("`{text}` is not a variable"));
            }
        }
    }

    fn check_invariant(&mut self, text: &str, var: Option<Var>, span: Span) {
        use planish_ir::types::AddressSpace::{Input, Output};
        let space = var.map(|v| self.b.module.vars[v].space);
        if !self.is_global() {
            self.fail(Code::E0401, span, "`invariant` is declared outside of functions only");
            return;
        }
        let input = space == Some(Input) && (self.version.is_es_100() || self.version.is_desktop());
        // (GLSL ES 1.00.17, section 4.6.4.)
        let facing = self.version.is_es_100() && text == "gl_FrontFacing";
        if facing || space != Some(Output) && !(input && self.stage() == Stage::Fragment) {
            self.error(
                Diagnostic::error(Code::E0401, span, format!("`{text}` cannot be `invariant`"))
                    .note("only outputs can be invariant"),
            );
        }
    }
}
