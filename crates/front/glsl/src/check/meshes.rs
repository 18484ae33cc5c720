//! Meshes: their layouts, outputs with an element for each vertex or primitive, and built-in outputs (`GL_EXT_mesh_shader`). And inputs and
//! outputs that only SPIR-V has: those, `perprimitiveEXT` of fragment shaders, and streams of geometry shaders.

use planish_ir::decoration::{Decoration, Decorations, Name as IrName, NameSource, Precision};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::module::{Primitive, Stage};
use planish_ir::source::Span;
use planish_ir::spirv::SpirvMode;
use planish_ir::types::{Member, StructType, TypeKind};

use super::layouts::{Key, Layout};
use super::names::{Access, Entity};
use super::qualifiers::{Qualifiers, Storage};
use super::{Checked, Checker};
use crate::ast::*;
use crate::device::{self, class};
use crate::symbol::sym;

/// Vertices and primitives of a mesh at most: the values of `gl_MaxMeshOutputVerticesEXT` and `gl_MaxMeshOutputPrimitivesEXT`.
pub(super) const MAX_OUTPUTS: u32 = 256;

/// The greatest stream of vertices: `gl_MaxVertexStreams` is 4.
const MAX_STREAM: u32 = 3;

// Numbers of execution modes.
const OUTPUT_VERTICES: u32 = 26;
const OUTPUT_POINTS: u32 = 27;
const OUTPUT_LINES: u32 = 5269;
const OUTPUT_PRIMITIVES: u32 = 5270;
const OUTPUT_TRIANGLES: u32 = 5298;

/// A built-in output of meshes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Output {
    Vertices,
    Primitives,
    Points,
    Lines,
    Triangles,
}

const OUTPUTS: [(&str, Output); 5] = [
    ("gl_MeshVerticesEXT", Output::Vertices),
    ("gl_MeshPrimitivesEXT", Output::Primitives),
    ("gl_PrimitivePointIndicesEXT", Output::Points),
    ("gl_PrimitiveLineIndicesEXT", Output::Lines),
    ("gl_PrimitiveTriangleIndicesEXT", Output::Triangles),
];

impl Output {
    pub(super) fn named(name: &str) -> Option<Output> {
        OUTPUTS.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    fn name(self) -> &'static str {
        OUTPUTS.iter().find(|row| row.1 == self).map_or("", |row| row.0)
    }

    /// The output whose elements are a block of this name.
    pub(super) fn of_block(name: &str) -> Option<Output> {
        match name {
            "gl_MeshPerVertexEXT" => Some(Output::Vertices),
            "gl_MeshPerPrimitiveEXT" => Some(Output::Primitives),
            _ => None,
        }
    }
}

/// A member of a built-in block: name, type, length if it is an array, number of the built-in.
type BuiltInMember = (&'static str, Type, bool, u32);

const VERTEX_MEMBERS: [BuiltInMember; 4] = [
    ("gl_Position", Type::VEC4, false, 0),
    ("gl_PointSize", Type::F32, false, 1),
    ("gl_ClipDistance", Type::F32, true, 3),
    ("gl_CullDistance", Type::F32, true, 4),
];

const PRIMITIVE_MEMBERS: [BuiltInMember; 5] = [
    ("gl_PrimitiveID", Type::I32, false, 7),
    ("gl_Layer", Type::I32, false, 9),
    ("gl_ViewportIndex", Type::I32, false, 10),
    ("gl_CullPrimitiveEXT", Type::BOOL, false, 5299),
    ("gl_PrimitiveShadingRateEXT", Type::I32, false, 4432),
];

/// The layouts of the stage.
#[derive(Default)]
pub(super) struct MeshLayout {
    primitive: Option<Primitive>,
    vertices: Option<u32>,
    primitives: Option<u32>,
}

impl Checker<'_, '_> {
    // ------------------------------------------------------------------------------------------ layouts

    /// `layout(triangles, max_vertices = 64, max_primitives = 126) out;`
    pub(super) fn mesh_layout(&mut self, key: Key, value: u32, span: Span) {
        let layout = &mut self.mesh;
        let unchanged = match key {
            Key::Primitive(primitive @ (Primitive::Points | Primitive::Lines | Primitive::Triangles)) => {
                *layout.primitive.get_or_insert(primitive) == primitive
            }
            Key::MaxVertices => *layout.vertices.get_or_insert(value) == value,
            Key::MaxPrimitives => *layout.primitives.get_or_insert(value) == value,
            _ => {
                self.fail(Code::E0404, span, "a mesh shader has no such layout");
                return;
            }
        };
        if !unchanged {
            self.error(
                Diagnostic::error(Code::E0404, span, "this layout contradicts an earlier one")
                    .note("a mesh has one primitive, and one number of vertices and of primitives")
                    .help("remove one of the two"),
            );
        }
        if matches!(key, Key::MaxVertices | Key::MaxPrimitives) && value > MAX_OUTPUTS {
            self.fail(Code::E0404, span, format!("this is 0 to {MAX_OUTPUTS}, not {value}"));
        }
    }

    /// Reports layouts of the stage that are missing, and turns them into modes of SPIR-V.
    pub(super) fn finish_mesh_layout(&mut self) {
        let p = &self.mesh;
        let missing = [
            ("primitive", "layout(triangles) out;", p.primitive.is_none()),
            ("number of vertices", "layout(max_vertices = …) out;", p.vertices.is_none()),
            ("number of primitives", "layout(max_primitives = …) out;", p.primitives.is_none()),
        ];
        let main = self.functions.iter().find(|f| f.name == sym::MAIN).map_or(Span::NONE, |f| f.declared);
        for (what, layout, _) in missing.iter().filter(|(.., is_missing)| *is_missing) {
            self.error(
                Diagnostic::error(Code::E0404, main, format!("a mesh shader declares no {what}"))
                    .help(format!("write `{layout}`")),
            );
        }
        let primitive = match self.mesh.primitive {
            Some(Primitive::Points) => OUTPUT_POINTS,
            Some(Primitive::Lines) => OUTPUT_LINES,
            _ => OUTPUT_TRIANGLES,
        };
        let mode = |mode, operands: &[u32]| SpirvMode { mode, operands: operands.into() };
        let (vertices, primitives) = (self.mesh.vertices.unwrap_or(0), self.mesh.primitives.unwrap_or(0));
        self.properties.spirv_modes =
            vec![mode(OUTPUT_VERTICES, &[vertices]), mode(OUTPUT_PRIMITIVES, &[primitives]), mode(primitive, &[])];
    }

    /// Number of elements of outputs, which the layout may tell further below.
    pub(super) fn mesh_count(&self, per_primitive: bool) -> Option<u32> {
        let (known, word) = match per_primitive {
            true => (self.mesh.primitives, "max_primitives"),
            false => (self.mesh.vertices, "max_vertices"),
        };
        known.or_else(|| self.later_layout(QualifierKind::Out, word))
    }

    // ------------------------------------------------------------------------------------------ inputs and outputs

    /// The storage class of inputs and outputs, blocks and memory that only SPIR-V has.
    pub(super) fn device_class(&self, storage: Storage, q: &Qualifiers) -> Option<u32> {
        let is_of_spirv = self.stage().is_of_spirv() || q.per_primitive.is_some();
        match storage {
            Storage::Buffer => q.layout.find(Key::ShaderRecord).map(|_| class::SHADER_RECORD),
            Storage::Out if is_of_spirv || self.stream_of(&q.layout) != 0 => Some(class::OUTPUT),
            Storage::In if is_of_spirv => Some(class::INPUT),
            _ => None,
        }
    }

    /// The stream of vertices that an output belongs to.
    fn stream_of(&self, layout: &Layout) -> u32 {
        if self.stage() != Stage::Geometry {
            return 0;
        }
        layout.find(Key::Stream).map_or(self.stream, |(stream, _)| stream)
    }

    /// Reports streams that are too great, and sets that of the outputs that follow.
    pub(super) fn check_stream(&mut self, value: u32, is_default: bool, span: Span) {
        if value > MAX_STREAM {
            self.error(
                Diagnostic::error(Code::E0404, span, format!("there is no stream {}", value as i32))
                    .note(format!("streams are 0 to {MAX_STREAM}")),
            );
        } else if is_default {
            self.stream = value;
        }
    }

    /// Reports `perprimitiveEXT` where nothing is of a primitive.
    pub(super) fn check_per_primitive(&mut self, q: &Qualifiers) -> Checked<()> {
        let Some(span) = q.per_primitive else { return Ok(()) };
        let fits = match self.stage() {
            Stage::Mesh => q.storage_kind() == Some(Storage::Out),
            Stage::Fragment => q.storage_kind() == Some(Storage::In),
            _ => false,
        };
        if fits {
            return Ok(());
        }
        Err(self.error(
            Diagnostic::error(Code::E0401, span, "this cannot be `perprimitiveEXT`")
                .note("outputs of mesh shaders and inputs of fragment shaders can"),
        ))
    }

    /// The decorations of an input or output that only SPIR-V has; reports one without a location.
    pub(super) fn device_decorations(
        &mut self,
        decorations: &Decorations,
        q: &Qualifiers,
        class: u32,
        span: Span,
    ) -> Checked<Decorations> {
        if self.stage() == Stage::Mesh || q.per_primitive.is_some() {
            device::need(self.b.module, &device::MESHES);
        }
        let mut all = device::by_number(decorations);
        all.add(Decoration::StorageClass(class));
        let is_varying = matches!(class, class::INPUT | class::OUTPUT);
        if is_varying && decorations.location().is_none() {
            let what = if class == class::INPUT { "this input" } else { "this output" };
            return Err(self.error(
                Diagnostic::error(Code::E0404, span, format!("{what} needs a location"))
                    .help("write `layout(location = …)` before"),
            ));
        }
        let stream = self.stream_of(&q.layout);
        if is_varying && stream != 0 {
            device::need(self.b.module, &device::STREAMS);
            all.add(device::stream(stream));
        }
        Ok(all)
    }

    // ------------------------------------------------------------------------------------------ built-in outputs

    /// A built-in output.
    pub(super) fn mesh_output(&mut self, output: Output, span: Span) -> Checked<Entity> {
        self.declare_mesh_output(output, None, span)
    }

    fn declare_mesh_output(&mut self, output: Output, block: Option<&InterfaceBlock>, span: Span) -> Checked<Entity> {
        device::need(self.b.module, &device::MESHES);
        let Some(len) = self.mesh_count(output != Output::Vertices) else {
            return Err(self.error(Diagnostic::error(Code::E0411, span, "the size of the mesh is not known").help(
                "declare the layout of the shader before: `layout(max_vertices = …, max_primitives = …) out;`",
            )));
        };
        let (element, builtin) = match output {
            Output::Vertices => (self.mesh_block("gl_MeshPerVertexEXT", &VERTEX_MEMBERS, block)?, None),
            Output::Primitives => (self.mesh_block("gl_MeshPerPrimitiveEXT", &PRIMITIVE_MEMBERS, block)?, None),
            Output::Points => (Type::U32, Some(5294)),
            Output::Lines => (Type::UVEC2, Some(5295)),
            Output::Triangles => (Type::UVEC3, Some(5296)),
        };
        let ty = self.b.module.types.array(element, len);
        let decorations = builtin.map(device::builtin).into_iter().collect();
        let name = IrName::new(output.name(), NameSource::BuiltIn);
        let var = self.spirv_variable(name, ty, class::OUTPUT, decorations, span);
        Ok(Entity::Variable { address: var.into(), ty, access: Access::ReadWrite })
    }

    /// The block of a vertex or primitive: with the members of a declaration, or those that are usual.
    fn mesh_block(&mut self, name: &str, known: &[BuiltInMember], block: Option<&InterfaceBlock>) -> Checked<Type> {
        let per_primitive = name == "gl_MeshPerPrimitiveEXT";
        let mut members = vec![];
        let mut wanted: Vec<&BuiltInMember> = vec![];
        match block {
            Some(block) => self.declared_members(block, known, &mut wanted)?,
            None => wanted.extend(known.iter().filter(|member| match member.3 {
                0 | 1 | 7 | 9 | 10 | 5299 => true,
                4432 => self.has_extension("GL_EXT_fragment_shading_rate"),
                _ => self.mentions_member(member.0),
            })),
        }
        for &&(name, element, is_array, number) in &wanted {
            match number {
                3 => device::need(self.b.module, &device::CLIP_DISTANCE),
                4 => device::need(self.b.module, &device::CULL_DISTANCE),
                4432 => device::need(self.b.module, &device::SHADING_RATE),
                _ => {}
            }
            let ty = match is_array {
                true => {
                    let len = self.distances(name);
                    self.b.module.types.array(element, len)
                }
                false => element,
            };
            let mut decorations: Decorations = [device::builtin(number)].into_iter().collect();
            if per_primitive {
                decorations.add(device::PER_PRIMITIVE_INPUT_OR_OUTPUT);
            }
            let precision = if self.is_es() && ty != Type::BOOL { Precision::High } else { Precision::None };
            members.push(Member { name: name.into(), ty, precision, decorations });
        }
        let data = StructType { name: name.into(), members, is_block: true };
        Ok(self.b.module.types.intern(TypeKind::Struct(data.into())))
    }

    /// The members that a declaration of a built-in block has.
    fn declared_members<'k>(
        &mut self,
        block: &InterfaceBlock,
        known: &'k [BuiltInMember],
        wanted: &mut Vec<&'k BuiltInMember>,
    ) -> Checked<()> {
        let ast = self.ast;
        for member in &ast[block.members] {
            let base = self.type_spec(member.ty)?;
            for declarator in &ast[member.declarators] {
                let (text, span) = (self.text(declarator.name.symbol), declarator.name.span);
                let Some(there) = known.iter().find(|there| there.0 == text) else {
                    let block = self.text(block.name.symbol);
                    return Err(self.fail(Code::E0408, span, format!("`{block}` has no member `{text}`")));
                };
                if base != there.1 || declarator.dims.is_empty() == there.2 {
                    let wanted = self.type_name(there.1);
                    return Err(self.error(
                        Diagnostic::error(Code::E0408, span, format!("`{text}` cannot be declared again like this"))
                            .note(format!("it is a built-in output of type `{wanted}`")),
                    ));
                }
                wanted.push(there);
            }
        }
        Ok(())
    }

    /// `out gl_MeshPerVertexEXT { … } gl_MeshVerticesEXT[];` and the like.
    pub(super) fn mesh_block_again(&mut self, block: &InterfaceBlock, output: Output) {
        let (name, place) = (output.name(), block.instance.map_or(block.name.span, |name| name.span));
        let is_it = block.instance.is_some_and(|instance| self.text(instance.symbol) == name);
        if self.stage() != Stage::Mesh || !is_it {
            let text = self.text(block.name.symbol);
            self.error(
                Diagnostic::error(Code::E0408, place, format!("`{text}` is the block of `{name}` of mesh shaders"))
                    .help(format!("write `}} {name}[];`")),
            );
            return;
        }
        let Some(instance) = block.instance else { return };
        if self.builtins.contains_key(&instance.symbol) {
            self.fail(Code::E0408, place, format!("`{name}` is declared after its first use"));
            return;
        }
        let declared = self.declare_mesh_output(output, Some(block), place);
        let entity = declared.unwrap_or(Entity::Error);
        if let (Entity::Variable { ty, .. }, [dim]) = (entity, &self.ast[block.dims])
            && let Some(size) = dim.size
            && let (Ok(len), TypeKind::Array { len: wanted, .. }) = (self.array_size(size), self.kind(ty))
            && len != *wanted
        {
            let message = format!("`{name}` has {wanted} elements here, not {len}");
            self.error(Diagnostic::error(Code::E0407, dim.span, message).help("leave out the number: write `[]`"));
        }
        self.builtins.insert(instance.symbol, entity);
    }

    /// Whether the program names a member.
    fn mentions_member(&self, name: &str) -> bool {
        let is_it =
            |expr: &Expr| matches!(expr.kind, ExprKind::Field { name: field, .. } if self.text(field.symbol) == name);
        self.ast.exprs.iter().any(is_it)
    }
}

/// Turns the decorations of the members of a block into those that only SPIR-V has.
pub(super) fn member_decorations(members: &mut [Member], q: &Qualifiers) {
    for member in members {
        member.decorations = device::by_number(&member.decorations);
        if q.per_primitive.is_some() {
            member.decorations.add(device::PER_PRIMITIVE_INPUT_OR_OUTPUT);
        }
    }
}

/// Decorations of a block, but those that its members have in its place.
pub(super) fn without_members(mut decorations: Decorations) -> Decorations {
    decorations.remove(device::PER_PRIMITIVE_INPUT_OR_OUTPUT);
    decorations
}
