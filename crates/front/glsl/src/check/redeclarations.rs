//! Redeclarations: of built-in variables, and qualifiers of names (`invariant gl_Position;`).

use planish_ir::decoration::{BuiltIn, Decoration};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Var};
use planish_ir::module::Stage;
use planish_ir::source::Span;
use planish_ir::types::TypeKind;

use super::builtin_constants;
use super::layouts::{self, Key};
use super::meshes::Output;
use super::names::Entity;
use super::qualifiers::{Qualifiers, Storage};
use super::{Checked, Checker, Reported};
use crate::ast::*;

/// Declarations of built-in variables, of which some exclude others.
#[derive(Default)]
pub(super) struct Redeclared {
    /// Whether `gl_FragCoord` begins in the corner above, whether it is at integers, and where that is said.
    frag_coord: Option<(bool, bool, Span)>,
    /// `gl_PerVertex` as a block of inputs, and as one of outputs.
    blocks: [Option<Span>; 2],
    /// Members of `gl_PerVertex` that are declared outside of it.
    alone: Option<Span>,
}

/// The members of `gl_PerVertex`.
const OF_VERTICES: [(&str, BuiltIn); 4] = [
    ("gl_Position", BuiltIn::Position),
    ("gl_PointSize", BuiltIn::PointSize),
    ("gl_ClipDistance", BuiltIn::ClipDistance),
    ("gl_CullDistance", BuiltIn::CullDistance),
];

impl Checker<'_, '_> {
    /// `in vec4 gl_FragCoord;`, `out float gl_ClipDistance[4];`, `invariant varying vec2 …`
    /// `in_block`: it is a member of `gl_PerVertex`.
    pub(super) fn redeclare_builtin(
        &mut self,
        declarator: &Declarator,
        base: Checked<Type>,
        q: &Qualifiers,
        in_block: bool,
    ) {
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
            "gl_SecondaryColor",
            "gl_FrontSecondaryColor",
            "gl_BackSecondaryColor",
        ];
        if !fits || !changeable.contains(&text) {
            self.wrong_redeclaration(text, known, name.span);
            return;
        }
        let places = layouts::INPUT | layouts::OUTPUT;
        let layout = self.layout_decorations(&q.layout, places, "this built-in variable");
        let Some(var) = address.as_var() else { return };
        if self.check_builtin_again(name, var, ty, q, in_block).is_err() {
            return;
        }
        self.program_facts.open_arrays.remove(&var);
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

    /// Reports a declaration of a built-in variable that does not fit it, or an earlier one.
    fn check_builtin_again(&mut self, name: Name, var: Var, ty: Type, q: &Qualifiers, in_block: bool) -> Checked<()> {
        use planish_ir::types::AddressSpace;
        let (text, span) = (self.text(name.symbol), name.span);
        let is_input = self.b.module.vars[var].space == AddressSpace::Input;
        // (The data of the frame buffer have no storage, and those of a block have that of the block.)
        if !in_block && text != "gl_LastFragData" {
            let fits = match q.storage_kind() {
                Some(Storage::InOut) => matches!(text, "gl_FragColor" | "gl_FragData"),
                Some(Storage::In | Storage::Varying) if is_input => true,
                Some(Storage::Out | Storage::Varying) => !is_input,
                _ => false,
            };
            if !fits {
                let word = if is_input { "in" } else { "out" };
                return Err(self.error(
                    Diagnostic::error(Code::E0408, span, format!("`{text}` cannot be declared again like this"))
                        .help(format!("write `{word}` before it")),
                ));
            }
        }
        let most = match text {
            "gl_ClipDistance" => "gl_MaxClipDistances",
            "gl_CullDistance" => "gl_MaxCullDistances",
            "gl_TexCoord" => "gl_MaxTextureCoords",
            _ => "",
        };
        let most = builtin_constants::find(most, self.version, self.settings.webgl);
        if let (Some(most), TypeKind::Array { len, .. }) = (most, self.kind(ty))
            && i64::from(*len) > i64::from(most)
        {
            return Err(self.fail(Code::E0408, span, format!("`{text}` has at most {most} elements")));
        }
        if text == "gl_FragCoord" {
            let corner = q.layout.find(Key::OriginUpperLeft).is_some();
            let center = q.layout.find(Key::PixelCenterInteger).is_some();
            if let Some((a, b, earlier)) = self.program_facts.redeclared.frag_coord
                && (a, b) != (corner, center)
            {
                return Err(self.error(
                    Diagnostic::error(Code::E0408, span, "`gl_FragCoord` is declared with another layout")
                        .also(earlier, "than here"),
                ));
            }
            if self.program_facts.redeclared.frag_coord.is_none()
                && let Some(used) = self.program_facts.use_of(BuiltIn::FragCoord)
            {
                return Err(self.error(
                    Diagnostic::error(Code::E0408, span, "`gl_FragCoord` is declared after its first use")
                        .also(used, "used here"),
                ));
            }
            self.program_facts.redeclared.frag_coord = Some((corner, center, span));
        }
        if OF_VERTICES.iter().any(|(member, _)| *member == text) && !in_block && !is_input {
            if let Some(earlier) = self.program_facts.redeclared.blocks[1] {
                return Err(self.declared_twice_in_block(span, earlier));
            }
            self.program_facts.redeclared.alone = Some(span);
        }
        Ok(())
    }

    #[cold]
    fn declared_twice_in_block(&mut self, span: Span, earlier: Span) -> Reported {
        self.error(
            Diagnostic::error(Code::E0408, span, "outputs of `gl_PerVertex` are declared both in the block and alone")
                .also(earlier, "the other declaration"),
        )
    }

    /// Notes a declaration of `gl_PerVertex`; reports a second one, and one after the first use of a member.
    pub(super) fn note_vertex_block(&mut self, block: &InterfaceBlock, is_input: bool, is_used: bool) -> Checked<()> {
        let span = block.name.span;
        let slot = usize::from(!is_input);
        if let Some(earlier) = self.program_facts.redeclared.blocks[slot].replace(span) {
            return Err(self.error(
                Diagnostic::error(Code::E0408, span, "`gl_PerVertex` is declared again twice")
                    .also(earlier, "the first declaration"),
            ));
        }
        if let Some(earlier) = self.program_facts.redeclared.alone.filter(|_| !is_input) {
            return Err(self.declared_twice_in_block(span, earlier));
        }
        let used = OF_VERTICES.iter().find_map(|(_, builtin)| self.program_facts.use_of(*builtin));
        let used = if is_input { is_used.then_some(span) } else { used };
        if let Some(used) = used {
            return Err(self.error(
                Diagnostic::error(Code::E0408, span, "`gl_PerVertex` is declared again after its first use")
                    .also(used, "a member is used here"),
            ));
        }
        Ok(())
    }

    /// Reports uses of outputs that `gl_PerVertex` was declared without.
    pub(super) fn check_vertex_block(&mut self) {
        let ast = self.ast;
        let declared = ast
            .blocks
            .iter()
            .find(|block| self.program_facts.redeclared.blocks[1] == Some(block.name.span) && block.instance.is_none());
        let Some(block) = declared else { return };
        let members = ast[block.members].iter().flat_map(|member| &ast[member.declarators]);
        let names: Vec<&str> = members.map(|declarator| self.text(declarator.name.symbol)).collect();
        for (name, builtin) in OF_VERTICES {
            if !names.contains(&name)
                && let Some(used) = self.program_facts.use_of(builtin)
            {
                self.error(
                    Diagnostic::error(Code::E0408, used, format!("`{name}` is not in the declared `gl_PerVertex`"))
                        .also(block.name.span, "declared again here")
                        .help("add it to the block"),
                );
            }
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
                let builtin = address.as_var().and_then(|var| self.b.module.vars[var].decorations.builtin());
                let used = builtin.and_then(|builtin| self.program_facts.use_of(builtin));
                if let Some(used) = used.filter(|_| decoration == Decoration::Invariant) {
                    self.error(
                        Diagnostic::error(
                            Code::E0401,
                            name.span,
                            format!("`{text}` is `invariant` after its first use"),
                        )
                        .also(used, "used here")
                        .help("declare it before"),
                    );
                }
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
