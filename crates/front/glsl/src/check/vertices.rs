//! Geometry and tessellation stages: their layouts, inputs and outputs with an element for each vertex, `gl_in` and `gl_out`, and where they write
//! and wait (GLSL 4.60.8 and GLSL ES 3.20.8, sections 4.3.4, 4.3.6, 4.4.1, 4.4.2 and 7.1).

use planish_ir::decoration::{BuiltIn, Decoration, Decorations, Precision};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::module::{Primitive, Stage};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Member, StructType, TypeKind};

use super::builtin_constants;
use super::layouts::Key;
use super::names::{Access, Entity};
use super::qualifiers::{Qualifiers, Storage};
use super::{Checked, Checker};
use crate::ast::*;
use crate::symbol::{Symbol, sym};

/// Vertices of the largest patch: the value of `gl_MaxPatchVertices`.
pub(super) const MAX_PATCH_VERTICES: u32 = 32;

/// The words of input primitives.
const PRIMITIVES: &[(&str, Primitive)] = &[
    ("points", Primitive::Points),
    ("lines", Primitive::Lines),
    ("lines_adjacency", Primitive::LinesAdjacency),
    ("triangles", Primitive::Triangles),
    ("triangles_adjacency", Primitive::TrianglesAdjacency),
];

/// Vertices of a primitive that a geometry shader gets.
fn vertices_of(primitive: Primitive) -> u32 {
    match primitive {
        Primitive::Points => 1,
        Primitive::Lines | Primitive::Isolines | Primitive::LineStrip => 2,
        Primitive::Triangles | Primitive::TriangleStrip => 3,
        Primitive::LinesAdjacency | Primitive::Quads => 4,
        Primitive::TrianglesAdjacency => 6,
    }
}

/// The word of a stage in messages, with its article.
pub(super) fn stage_words(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "a vertex shader",
        Stage::TessellationControl => "a tessellation control shader",
        Stage::TessellationEvaluation => "a tessellation evaluation shader",
        Stage::Geometry => "a geometry shader",
        Stage::Fragment => "a fragment shader",
        Stage::Compute => "a compute shader",
        Stage::Task => "a task shader",
        Stage::Mesh => "a mesh shader",
        Stage::RayGeneration => "a ray generation shader",
        Stage::Intersection => "an intersection shader",
        Stage::AnyHit => "an any hit shader",
        Stage::ClosestHit => "a closest hit shader",
        Stage::Miss => "a miss shader",
        Stage::Callable => "a callable shader",
        Stage::TaskNv | Stage::MeshNv => "a shader of NVIDIA's meshes",
    }
}

impl Checker<'_, '_> {
    /// Reports a version that does not have the stage.
    pub(super) fn check_stage_version(&mut self) {
        let stage = self.stage();
        let (es, desktop, extensions): (u16, u16, &[&str]) = match stage {
            Stage::Geometry => (320, 150, &["GL_EXT_geometry_shader", "GL_OES_geometry_shader"]),
            Stage::TessellationControl | Stage::TessellationEvaluation => {
                (320, 400, &["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"])
            }
            Stage::TaskNv | Stage::MeshNv => {
                let span = self.ast.items.first().map_or(Span::NONE, |&item| self.ast[item].span);
                let message = format!("GLSL is not read as {}", stage_words(stage));
                self.error(
                    Diagnostic::error(Code::E0311, span, message)
                        .help("write it with `GL_EXT_mesh_shader`, which more devices have"),
                );
                return;
            }
            _ => return,
        };
        let names = &self.program.interner;
        let enabled = |name: &str| extensions.contains(&name);
        let extended = self.program.extensions.iter().any(|directive| enabled(names.resolve(directive.name)));
        if self.version.at_least(es, desktop) || extended {
            return;
        }
        let (version, number) = (self.version, if self.is_es() { es } else { desktop });
        let family = if self.is_es() { "GLSL ES" } else { "GLSL" };
        let span = self.ast.items.first().map_or(Span::NONE, |&item| self.ast[item].span);
        self.error(Diagnostic::error(Code::E0311, span, format!("{} in {version}", stage_words(stage))).note(format!(
            "the stage needs {family} {}.{:02}",
            number / 100,
            number % 100
        )));
    }

    // ------------------------------------------------------------------------------------------ layouts

    /// A layout of the whole stage, `layout(triangles) in;` and the like; reports those of other stages.
    pub(super) fn stage_layout(&mut self, key: Key, value: u32, is_input: bool, span: Span) {
        let stage = self.stage();
        if stage == Stage::Mesh && !is_input {
            return self.mesh_layout(key, value, span);
        }
        let (geometry, evaluation) = (stage == Stage::Geometry, stage == Stage::TessellationEvaluation);
        let p = &mut self.properties;
        let unchanged = match key {
            Key::Primitive(primitive)
                if is_input && (geometry && is_taken(primitive) || evaluation && is_tessellated(primitive)) =>
            {
                *p.input_primitive.get_or_insert(primitive) == primitive
            }
            Key::Primitive(primitive) if !is_input && geometry && is_given(primitive) => {
                *p.output_primitive.get_or_insert(primitive) == primitive
            }
            Key::Spacing(spacing) if evaluation => *p.spacing.get_or_insert(spacing) == spacing,
            Key::Winding(winding) if evaluation => *p.winding.get_or_insert(winding) == winding,
            Key::PointMode if evaluation => {
                p.point_mode = true;
                true
            }
            Key::Invocations if geometry => *p.invocations.get_or_insert(value) == value,
            Key::MaxVertices if geometry => *p.max_vertices.get_or_insert(value) == value,
            Key::Vertices if stage == Stage::TessellationControl => *p.vertices.get_or_insert(value) == value,
            Key::Stream if geometry => true,
            _ => {
                self.fail(Code::E0404, span, format!("{} has no such layout", stage_words(stage)));
                return;
            }
        };
        if !unchanged {
            self.error(
                Diagnostic::error(Code::E0404, span, "this layout contradicts an earlier one")
                    .note("a shader has one primitive, one number of vertices, and so on")
                    .help("remove one of the two"),
            );
        }
        let (least, most) = match key {
            Key::Vertices => (1, MAX_PATCH_VERTICES),
            Key::Invocations => (1, 32),
            Key::MaxVertices => (0, 256),
            _ => return,
        };
        if !(least..=most).contains(&value) {
            self.fail(Code::E0404, span, format!("this is {least} to {most}, not {value}"));
        }
    }

    /// Reports layouts of the stage that are missing.
    pub(super) fn check_stage_layouts(&mut self) {
        let p = &self.properties;
        let missing: &[(&str, &str, bool)] = match self.stage() {
            Stage::Geometry => &[
                ("input primitive", "layout(triangles) in;", p.input_primitive.is_none()),
                ("output primitive", "layout(triangle_strip) out;", p.output_primitive.is_none()),
                ("number of vertices", "layout(max_vertices = …) out;", p.max_vertices.is_none()),
            ],
            Stage::TessellationControl => &[("number of vertices", "layout(vertices = …) out;", p.vertices.is_none())],
            Stage::TessellationEvaluation => &[("primitive", "layout(triangles) in;", p.input_primitive.is_none())],
            Stage::Mesh if self.error_count == 0 => return self.finish_mesh_layout(),
            _ => return,
        };
        if self.error_count > 0 {
            return;
        }
        let main = self.functions.iter().find(|f| f.name == sym::MAIN).map_or(Span::NONE, |f| f.declared);
        let missing: Vec<_> = missing.iter().filter(|(.., is_missing)| *is_missing).collect();
        for (what, layout, _) in missing {
            let stage = stage_words(self.stage());
            self.error(
                Diagnostic::error(Code::E0404, main, format!("{stage} declares no {what}"))
                    .help(format!("write `{layout}`")),
            );
        }
    }

    // ------------------------------------------------------------------------------------------ arrays of vertices

    /// Whether inputs or outputs with these qualifiers have an element for each vertex.
    pub(super) fn is_of_each_vertex(&self, q: &Qualifiers) -> bool {
        let is_input = q.storage_kind() == Some(Storage::In);
        match self.stage() {
            _ if q.patch.is_some() || !matches!(q.storage_kind(), Some(Storage::In | Storage::Out)) => false,
            Stage::Geometry | Stage::TessellationEvaluation => is_input,
            Stage::TessellationControl => true,
            Stage::Mesh => !is_input,
            _ => false,
        }
    }

    /// The type of an input or output with its number of vertices, if it has an element for each vertex; reports what is no array, or has another
    /// length.
    pub(super) fn of_each_vertex(&mut self, ty: Type, q: &Qualifiers, span: Span) -> Checked<Type> {
        self.check_patch(q)?;
        self.check_per_primitive(q)?;
        if !self.is_of_each_vertex(q) {
            return Ok(ty);
        }
        let is_input = q.storage_kind() == Some(Storage::In);
        let what = if is_input { "an input" } else { "an output" };
        let stage = stage_words(self.stage());
        let (element, written) = match *self.kind(ty) {
            TypeKind::Array { element, len } => (element, Some(len)),
            TypeKind::RuntimeArray { element } => (element, None),
            _ => {
                let name = self.type_name(ty);
                return Err(self.error(
                    Diagnostic::error(Code::E0407, span, format!("{what} of {stage} is an array, not `{name}`"))
                        .label(if q.per_primitive.is_some() {
                            "it has an element for each primitive"
                        } else {
                            "it has an element for each vertex"
                        })
                        .help("write `[]` after the name"),
                ));
            }
        };
        let is_mesh = self.stage() == Stage::Mesh;
        let len = if is_mesh { self.mesh_count(q.per_primitive.is_some()) } else { self.vertex_count(is_input) };
        match (len, written) {
            (Some(len), Some(written)) if len != written => Err(self.error(
                Diagnostic::error(
                    Code::E0407,
                    span,
                    format!("{what} of {stage} has {len} elements here, not {written}"),
                )
                .note(if q.per_primitive.is_some() { "one for each primitive" } else { "one for each vertex" })
                .help("leave out the number: write `[]`"),
            )),
            (Some(len), _) => self.array_of(element, len, span),
            (None, Some(len)) => self.array_of(element, len, span),
            (None, None) => Err(self.error(
                Diagnostic::error(Code::E0411, span, "the number of vertices is not known")
                    .note("the layout of the shader gives it")
                    .help(match self.stage() {
                        Stage::Geometry => "write `layout(triangles) in;` or the like before",
                        Stage::Mesh => "write `layout(max_vertices = …, max_primitives = …) out;` before",
                        _ => "write `layout(vertices = …) out;` before",
                    }),
            )),
        }
    }

    /// Number of vertices of the inputs or outputs of the stage, which its layout may tell further below.
    fn vertex_count(&self, is_input: bool) -> Option<u32> {
        match self.stage() {
            Stage::Geometry => {
                let later = || {
                    self.layouts_of(QualifierKind::In).find_map(|(name, _)| {
                        PRIMITIVES.iter().find(|(word, _)| name.eq_ignore_ascii_case(word)).map(|(_, p)| *p)
                    })
                };
                self.properties.input_primitive.or_else(later).map(vertices_of)
            }
            Stage::TessellationControl if !is_input => {
                self.properties.vertices.or_else(|| self.later_layout(QualifierKind::Out, "vertices"))
            }
            _ => Some(MAX_PATCH_VERTICES),
        }
    }

    /// The number of a layout of the whole stage that is declared further below.
    pub(super) fn later_layout(&self, storage: QualifierKind, word: &str) -> Option<u32> {
        self.layouts_of(storage).find_map(|(name, value)| {
            let ExprKind::Int { bits, .. } = self.ast[value?].kind else { return None };
            name.eq_ignore_ascii_case(word).then_some(bits)
        })
    }

    /// The words of all layouts of the whole stage, with their values.
    fn layouts_of(&self, storage: QualifierKind) -> impl Iterator<Item = (&str, Option<ExprId>)> {
        let ast = self.ast;
        let lists = ast.items.iter().filter_map(move |&item| match ast[item].kind {
            DeclKind::Qualifiers { qualifiers, names } if names.is_empty() => Some(&ast[qualifiers]),
            _ => None,
        });
        let lists = lists.filter(move |list| list.iter().any(|qualifier| qualifier.kind == storage));
        let items = lists.flatten().filter_map(move |qualifier| match qualifier.kind {
            QualifierKind::Layout(items) => Some(&ast[items]),
            _ => None,
        });
        items.flatten().map(|item| (self.text(item.name.symbol), item.value))
    }

    /// Reports `patch` where there are no patches.
    fn check_patch(&mut self, q: &Qualifiers) -> Checked<()> {
        let Some(span) = q.patch else { return Ok(()) };
        let fits = match self.stage() {
            Stage::TessellationControl => q.storage_kind() == Some(Storage::Out),
            Stage::TessellationEvaluation => q.storage_kind() == Some(Storage::In),
            _ => false,
        };
        if fits {
            return Ok(());
        }
        Err(self.error(
            Diagnostic::error(Code::E0401, span, "this cannot be `patch`")
                .note("outputs of tessellation control shaders and inputs of tessellation evaluation shaders can"),
        ))
    }

    // ------------------------------------------------------------------------------------------ gl_in and gl_out

    /// The type of `gl_in` or `gl_out`: a block for each vertex.
    pub(super) fn vertices_type(&mut self, is_input: bool, span: Span) -> Checked<Type> {
        let whole = self.vertex_block();
        let block = self.redeclared_members(whole, is_input);
        let Some(len) = self.vertex_count(is_input) else {
            return Err(self.error(Diagnostic::error(Code::E0411, span, "the number of vertices is not known").help(
                "declare the layout of the shader before: `layout(triangles) in;`, `layout(vertices = …) out;`",
            )));
        };
        Ok(self.b.module.types.array(block, len))
    }

    /// `gl_PerVertex`.
    fn vertex_block(&mut self) -> Type {
        let precision = if self.is_es() { Precision::High } else { Precision::None };
        let mut members = vec![];
        let mut member = |ty, meaning: BuiltIn| {
            let decorations: Decorations = [Decoration::BuiltIn(meaning)].into_iter().collect();
            members.push(Member { name: meaning.glsl_name().into(), ty, precision, decorations });
        };
        member(Type::VEC4, BuiltIn::Position);
        member(Type::F32, BuiltIn::PointSize);
        if !self.version.is_es() {
            for (meaning, name) in
                [(BuiltIn::ClipDistance, "gl_ClipDistance"), (BuiltIn::CullDistance, "gl_CullDistance")]
            {
                let len = self.distances(name);
                let ty = self.b.module.types.array(Type::F32, len);
                let decorations: Decorations = [Decoration::BuiltIn(meaning)].into_iter().collect();
                members.push(Member { name: name.into(), ty, precision, decorations });
            }
        }
        let data = StructType { name: "gl_PerVertex".into(), members, is_block: true };
        self.b.module.types.intern(TypeKind::Struct(data.into()))
    }

    /// `gl_PerVertex` with the members that a declaration of `gl_in` or `gl_out` names; all without one.
    fn redeclared_members(&mut self, whole: Type, is_input: bool) -> Type {
        let ast = self.ast;
        let wanted = if is_input { "gl_in" } else { "gl_out" };
        let declared = ast.blocks.iter().find(|block| {
            self.text(block.name.symbol) == "gl_PerVertex"
                && block.instance.is_some_and(|instance| self.text(instance.symbol) == wanted)
        });
        let (Some(block), Some(s)) = (declared, self.b.module.types.as_struct(whole)) else { return whole };
        let names: Vec<&str> = ast[block.members]
            .iter()
            .flat_map(|member| &ast[member.declarators])
            .map(|declarator| self.text(declarator.name.symbol))
            .collect();
        let members: Vec<Member> = s.members.iter().filter(|m| names.contains(&&*m.name)).cloned().collect();
        if members.is_empty() {
            return whole;
        }
        let data = StructType { members, ..(**s).clone() };
        self.b.module.types.intern(TypeKind::Struct(data.into()))
    }

    /// Number of distances of a vertex: as many as a declaration says, or as constant indices need; at least one.
    pub(super) fn distances(&self, name: &str) -> u32 {
        let ast = self.ast;
        let number = |expr: ExprId| match ast[expr].kind {
            ExprKind::Int { bits, .. } if bits < 8 => Some(bits),
            _ => None,
        };
        let is_it = |symbol: Symbol| self.text(symbol) == name;
        let indices = ast.exprs.iter().filter_map(|expr| match expr.kind {
            ExprKind::Index { base, index } => match ast[base].kind {
                ExprKind::Field { name, .. } if is_it(name.symbol) => number(index).map(|index| index + 1),
                _ => None,
            },
            _ => None,
        });
        let blocks = ast
            .blocks
            .iter()
            .filter(|block| matches!(self.text(block.name.symbol), "gl_PerVertex" | "gl_MeshPerVertexEXT"));
        let members = blocks.flat_map(|block| &ast[block.members]).flat_map(|member| &ast[member.declarators]);
        let sizes = members.filter(|declarator| is_it(declarator.name.symbol));
        let declared = sizes.flat_map(|declarator| &ast[declarator.dims]).filter_map(|dim| match ast[dim.size?].kind {
            ExprKind::Int { bits, .. } if bits <= 8 => Some(bits),
            _ => None,
        });
        declared.max().or(indices.max()).unwrap_or(1).max(1)
    }

    /// `in gl_PerVertex { … } gl_in[];` and the like, which declare what is there anyway; reports other names.
    pub(super) fn vertex_block_again(&mut self, block: &InterfaceBlock, instance: Name, is_input: bool) {
        let text = self.text(instance.symbol);
        let is_used = self.builtins.contains_key(&instance.symbol);
        if self.resolve(instance.symbol, instance.span).is_err() {
            return;
        }
        if !matches!(text, "gl_in" | "gl_out") {
            self.fail(Code::E0408, instance.span, "the vertices of `gl_PerVertex` are `gl_in` and `gl_out`");
            return;
        }
        if block.dims.len() != 1 {
            self.error(
                Diagnostic::error(Code::E0408, instance.span, format!("`{text}` is an array of one dimension"))
                    .help(format!("write `{text}[]`")),
            );
            return;
        }
        if self.note_vertex_block(block, is_input, is_used).is_err() {
            return;
        }
        let known = self.vertex_block();
        let Some(known) = self.b.module.types.as_struct(known).cloned() else { return };
        let ast = self.ast;
        for member in &ast[block.members] {
            let base = self.type_spec(member.ty);
            for declarator in &ast[member.declarators] {
                let (text, span) = (self.text(declarator.name.symbol), declarator.name.span);
                let Some(there) = known.members.iter().find(|there| &*there.name == text) else {
                    self.fail(Code::E0408, span, format!("`gl_PerVertex` has no member `{text}`"));
                    continue;
                };
                let Ok(ty) = base.and_then(|base| self.with_dims(base, declarator.dims)) else { continue };
                let element = |checker: &Self, ty| match *checker.kind(ty) {
                    TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } => (element, true),
                    _ => (ty, false),
                };
                let most = builtin_constants::find("gl_MaxClipDistances", self.version, self.settings.webgl);
                let is_too_long = matches!(
                    (self.kind(ty), most),
                    (TypeKind::Array { len, .. }, Some(most)) if i64::from(*len) > i64::from(most)
                );
                if is_too_long {
                    self.fail(Code::E0408, span, format!("`{text}` has at most {} elements", most.unwrap_or(0)));
                } else if element(self, ty) != element(self, there.ty) {
                    let wanted = self.type_name(there.ty);
                    self.error(
                        Diagnostic::error(Code::E0408, span, format!("`{text}` cannot be declared again like this"))
                            .note(format!("it is a built-in variable of type `{wanted}`")),
                    );
                }
            }
        }
    }

    // ------------------------------------------------------------------------------------------ what a stage does

    /// Reports outputs of other vertices that a tessellation control shader writes.
    pub(super) fn check_own_vertex(&mut self, target: ExprId) -> Checked<()> {
        if self.stage() != Stage::TessellationControl {
            return Ok(());
        }
        let Some(root) = self.root(target) else { return Ok(()) };
        let entity =
            self.scopes.lookup(root).map(|binding| binding.entity).or_else(|| self.builtins.get(&root).copied());
        let Some(Entity::Variable { address, access: Access::ReadWrite, .. }) = entity else { return Ok(()) };
        let Some(var) = address.as_var() else { return Ok(()) };
        let data = &self.b.module.vars[var];
        let is_whole = data.decorations.builtin().is_some_and(|builtin| builtin != BuiltIn::PerVertexOut);
        if data.space != AddressSpace::Output || data.decorations.has(Decoration::Patch) || is_whole {
            return Ok(());
        }
        let ast = self.ast;
        let mut at = target;
        let mut index = None;
        loop {
            at = match ast[at].kind {
                ExprKind::Paren(inner) => inner,
                ExprKind::Field { base, .. } => base,
                ExprKind::Index { base, index: of } => {
                    index = Some(of);
                    base
                }
                _ => break,
            };
        }
        let own = index.map(|index| ast[ast.unparenthesized(index)].kind);
        if matches!(own, Some(ExprKind::Name(symbol)) if self.text(symbol) == "gl_InvocationID") {
            return Ok(());
        }
        let (text, span) = (self.text(root), self.span_of(target));
        Err(self.error(
            Diagnostic::error(Code::E0308, span, format!("`{text}` is written at a vertex of another invocation"))
                .note("each invocation of a tessellation control shader writes the outputs of its own vertex")
                .help(format!("write `{text}[gl_InvocationID]`")),
        ))
    }

    /// Whether we are in `main`, outside of conditions, loops and `switch`.
    pub(super) fn is_always_run(&self) -> bool {
        let func = self.b.func();
        let is_main = self.functions.iter().any(|f| f.name == sym::MAIN && f.func == func);
        is_main && self.frame.constructs.is_empty() && self.frame.flow.conditions == 0
    }

    /// Reports a barrier in a tessellation control shader that some invocations may not reach.
    pub(super) fn check_barrier(&mut self, span: Span) -> Checked<()> {
        if self.stage() != Stage::TessellationControl || self.is_always_run() && !self.frame.returns {
            return Ok(());
        }
        let message = "in a tessellation control shader, `barrier()` is in `main`, outside of `if`, loops and `switch`, \
                       and before any `return`";
        Err(self.error(
            Diagnostic::error(Code::E0311, span, message)
                .note("all invocations must reach it")
                .help("move the call out, around the statements"),
        ))
    }
}

/// Whether a geometry shader can take a primitive.
fn is_taken(primitive: Primitive) -> bool {
    PRIMITIVES.iter().any(|(_, p)| *p == primitive)
}

/// Whether a geometry shader can give a primitive.
fn is_given(primitive: Primitive) -> bool {
    matches!(primitive, Primitive::Points | Primitive::LineStrip | Primitive::TriangleStrip)
}

/// Whether a patch can be divided into a primitive.
fn is_tessellated(primitive: Primitive) -> bool {
    matches!(primitive, Primitive::Triangles | Primitive::Quads | Primitive::Isolines)
}
