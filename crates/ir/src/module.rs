//! Modules: the unit of compilation.

use std::sync::Arc;

use crate::arena::Arena;
use crate::comments::Comments;

use crate::constant::Consts;
use crate::custom::CustomOpData;
use crate::decoration::{Decoration, Decorations, Name, Precision};
use crate::entity::{Const, CustomOp, Data, Elem, Func, Memory, Node, Table, Type, Value, ValueKind, Var};
use crate::facts::Facts;
use crate::function::{Body, Function, Param, ResultType};
use crate::ops::Op;
use crate::signature::Signature;
use crate::source::Span;
use crate::spirv::{SpirvMode, SpirvNeeds};
use crate::types::{AddressSpace, Types};

/// A variable: a named memory location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VarData {
    /// Its name.
    pub name: Name,
    /// Type of the value in memory.
    pub ty: Type,
    /// Type of its address.
    pub pointer: Type,
    /// Address space.
    pub space: AddressSpace,
    /// Its precision.
    pub precision: Precision,
    /// Its qualifiers; a built-in variable carries [`crate::decoration::Decoration::BuiltIn`].
    pub decorations: Decorations,
    /// Initial value. `None`: zero in `private`, `workgroup` and `function` space, as documented in `docs/numerics.md`.
    pub initializer: Option<Const>,
    /// Whether the source forbids writes (`const` with an initializer).
    pub is_const: bool,
    /// Location of the declaration.
    pub span: Span,
    /// Import and export (WebAssembly); `None` for most variables.
    pub linkage: Option<Box<Linkage>>,
}

/// Import, export and computed initial value of a private variable: a global of WebAssembly.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Linkage {
    /// Source of an imported variable; `None` if defined here.
    pub import: Option<Import>,
    /// Export names.
    pub exports: Vec<Arc<str>>,
    /// Function whose only result is the initial value, if that is not a constant. Such functions have no parameters,
    /// and run in the order of the variables at instantiation, before the segments are copied.
    pub computed: Option<Func>,
}

/// A shader stage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// Once per vertex.
    Vertex,
    /// Once per control point of a patch.
    TessellationControl,
    /// Once per vertex of a tessellated patch.
    TessellationEvaluation,
    /// Once per primitive.
    Geometry,
    /// Once per fragment.
    Fragment,
    /// Once per invocation of a grid.
    Compute,
    // Only SPIR-V has those that follow.
    /// Once per invocation of a grid of tasks, which start meshes.
    Task,
    /// Once per invocation of a mesh.
    Mesh,
    /// As `Task`, in the form of `SPV_NV_mesh_shader`.
    TaskNv,
    /// As `Mesh`, in the form of `SPV_NV_mesh_shader`.
    MeshNv,
    /// Once per ray that the host starts.
    RayGeneration,
    /// Once per primitive that a ray may meet.
    Intersection,
    /// Once per primitive that a ray meets.
    AnyHit,
    /// Once per ray that meets something.
    ClosestHit,
    /// Once per ray that meets nothing.
    Miss,
    /// When another stage of ray tracing calls it.
    Callable,
}

impl Stage {
    /// Every stage.
    pub const ALL: [Stage; 16] = [
        Stage::Vertex,
        Stage::TessellationControl,
        Stage::TessellationEvaluation,
        Stage::Geometry,
        Stage::Fragment,
        Stage::Compute,
        Stage::Task,
        Stage::Mesh,
        Stage::TaskNv,
        Stage::MeshNv,
        Stage::RayGeneration,
        Stage::Intersection,
        Stage::AnyHit,
        Stage::ClosestHit,
        Stage::Miss,
        Stage::Callable,
    ];

    /// Whether only SPIR-V has it, among the targets.
    pub const fn is_of_spirv(self) -> bool {
        self as u8 >= Stage::Task as u8
    }

    /// Whether its invocations are those of work groups.
    pub const fn has_work_groups(self) -> bool {
        matches!(self, Stage::Compute | Stage::Task | Stage::Mesh | Stage::TaskNv | Stage::MeshNv)
    }

    /// The end of the names of its files in GLSL, without the dot; `None` for a stage that GLSL is not read as.
    pub const fn file_extension(self) -> Option<&'static str> {
        Some(match self {
            Stage::Vertex => "vert",
            Stage::TessellationControl => "tesc",
            Stage::TessellationEvaluation => "tese",
            Stage::Geometry => "geom",
            Stage::Fragment => "frag",
            Stage::Compute => "comp",
            Stage::Task => "task",
            Stage::Mesh => "mesh",
            Stage::RayGeneration => "rgen",
            Stage::Intersection => "rint",
            Stage::AnyHit => "rahit",
            Stage::ClosestHit => "rchit",
            Stage::Miss => "rmiss",
            Stage::Callable => "rcall",
            Stage::TaskNv | Stage::MeshNv => return None,
        })
    }

    /// The stage of files in GLSL with this end, without the dot.
    pub fn of_file_extension(extension: &str) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| stage.file_extension() == Some(extension))
    }

    /// Its name in the text form and in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::TessellationControl => "tessellation_control",
            Stage::TessellationEvaluation => "tessellation_evaluation",
            Stage::Geometry => "geometry",
            Stage::Fragment => "fragment",
            Stage::Compute => "compute",
            Stage::Task => "task",
            Stage::Mesh => "mesh",
            Stage::TaskNv => "task_nv",
            Stage::MeshNv => "mesh_nv",
            Stage::RayGeneration => "ray_generation",
            Stage::Intersection => "intersection",
            Stage::AnyHit => "any_hit",
            Stage::ClosestHit => "closest_hit",
            Stage::Miss => "miss",
            Stage::Callable => "callable",
        }
    }
}

/// Fragments whose code between `begin_interlock` and `end_interlock` does not overlap: those of a pixel, of a sample, or of the area that
/// one invocation shades; in the order of their primitives or in any.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Interlock {
    /// `pixel_interlock_ordered`
    PixelOrdered,
    /// `pixel_interlock_unordered`
    PixelUnordered,
    /// `sample_interlock_ordered`
    SampleOrdered,
    /// `sample_interlock_unordered`
    SampleUnordered,
    /// `shading_rate_interlock_ordered`
    ShadingRateOrdered,
    /// `shading_rate_interlock_unordered`
    ShadingRateUnordered,
}

/// Invocations of a compute shader that form a square for derivatives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DerivativeGroup {
    /// Squares in x and y.
    Quads,
    /// Four that follow each other.
    Linear,
}

/// Guarantee of a fragment shader about the depth it writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DepthLayout {
    /// Anything.
    Any,
    /// At least the interpolated depth.
    Greater,
    /// At most the interpolated depth.
    Less,
    /// The interpolated depth.
    Unchanged,
}

/// Input and output primitives of geometry and tessellation shaders.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Primitive {
    /// `points`
    Points,
    /// `lines`
    Lines,
    /// `lines_adjacency`
    LinesAdjacency,
    /// `triangles`
    Triangles,
    /// `triangles_adjacency`
    TrianglesAdjacency,
    /// `quads`
    Quads,
    /// `isolines`
    Isolines,
    /// `line_strip`
    LineStrip,
    /// `triangle_strip`
    TriangleStrip,
}

/// Lengths of the segments that a tessellator divides an edge into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spacing {
    /// `equal_spacing`
    Equal,
    /// `fractional_even_spacing`
    FractionalEven,
    /// `fractional_odd_spacing`
    FractionalOdd,
}

/// Order of the corners of the triangles that a tessellator makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Winding {
    /// `cw`
    Clockwise,
    /// `ccw`
    CounterClockwise,
}

/// A function that the host can call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryPoint {
    /// Names for the host; WebAssembly allows several, a shader has one.
    pub names: Vec<Arc<str>>,
    /// The function.
    pub func: Func,
    /// Its stage; `None` for a plain export.
    pub stage: Option<Stage>,
    /// Properties of the stage.
    pub properties: StageProperties,
}

/// Properties from layout qualifiers of a whole stage.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StageProperties {
    /// `layout(early_fragment_tests) in`
    pub early_fragment_tests: bool,
    /// `layout(depth_…) out float gl_FragDepth`
    pub depth: Option<DepthLayout>,
    /// `layout(pixel_interlock_ordered) in` and its like (fragment)
    pub interlock: Option<Interlock>,
    /// `layout(local_size_x = …) in`
    pub local_size: Option<[u32; 3]>,
    /// `layout(local_size_x_id = …) in`: ids of the specialization constants (`u32`) that override `local_size`, by
    /// axis. Only `gl_WorkGroupSize` reads the overridden size.
    pub local_size_ids: [Option<u32>; 3],
    /// Input primitive (geometry, tessellation evaluation).
    pub input_primitive: Option<Primitive>,
    /// Output primitive (geometry).
    pub output_primitive: Option<Primitive>,
    /// `layout(max_vertices = …) out`
    pub max_vertices: Option<u32>,
    /// `layout(invocations = …) in`
    pub invocations: Option<u32>,
    /// `layout(vertices = …) out` (tessellation control)
    pub vertices: Option<u32>,
    /// `layout(equal_spacing) in` (tessellation evaluation; binaries may give it in the control stage)
    pub spacing: Option<Spacing>,
    /// `layout(cw) in` (as above)
    pub winding: Option<Winding>,
    /// `layout(point_mode) in` (as above)
    pub point_mode: bool,
    /// Bytes of a vertex in each buffer that outputs are captured in (`layout(xfb_stride = …) out`).
    pub xfb_strides: [Option<u32>; 4],
    /// The invocations that derivatives of a compute shader are taken over.
    pub derivative_group: Option<DerivativeGroup>,
    /// Execution modes that only SPIR-V has.
    pub spirv_modes: Vec<SpirvMode>,
    /// `layout(num_views = …) in` (`GL_OVR_multiview`)
    pub num_views: Option<u32>,
    /// Advanced blend equations as a bit set, in the order of the extension's list.
    pub blend_equations: u32,
    /// `layout(origin_upper_left) in vec4 gl_FragCoord`
    pub origin_upper_left: bool,
    /// `layout(pixel_center_integer) in vec4 gl_FragCoord`
    pub pixel_center_integer: bool,
}

/// Source of an imported item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Import {
    /// First name: the module.
    pub module: Arc<str>,
    /// Second name.
    pub name: Arc<str>,
}

/// A byte-addressed memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryData {
    /// Initial size in pages of 64 KiB.
    pub min_pages: u32,
    /// Maximum size in pages; `None`: unlimited.
    pub max_pages: Option<u32>,
    /// Source of an imported memory; `None` if defined here.
    pub import: Option<Import>,
    /// Export names.
    pub exports: Vec<Arc<str>>,
}

impl MemoryData {
    /// Size of a page in bytes.
    pub const PAGE: usize = 1 << 16;
    /// Maximum number of pages of a memory: the range of 32-bit addresses, or less on hosts with smaller addresses.
    pub const MAX_PAGES: u32 = if usize::BITS < 64 { (isize::MAX as usize / Self::PAGE) as u32 } else { 1 << 16 };
}

/// A table of references.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableData {
    /// `FuncRef` or `ExternRef`.
    pub element: Type,
    /// Initial number of elements.
    pub min: u32,
    /// Maximum number of elements; `None`: unlimited.
    pub max: Option<u32>,
    /// Source of an imported table; `None` if defined here.
    pub import: Option<Import>,
    /// Export names.
    pub exports: Vec<Arc<str>>,
}

/// An offset evaluated at instantiation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offset {
    /// A constant.
    Const(u32),
    /// The value of a private variable.
    Var(Var),
}

/// A data segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataSegment {
    /// Destination at instantiation; `None` if passive.
    pub active: Option<(Memory, Offset)>,
    /// The bytes.
    pub bytes: Arc<[u8]>,
}

/// An item of an element segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElemItem {
    /// Null reference.
    Null,
    /// A function.
    Func(Func),
    /// Value of a private variable at instantiation.
    Var(Var),
}

impl ElemItem {
    /// The function, or `None` for other items.
    pub fn as_func(self) -> Option<Func> {
        if let ElemItem::Func(f) = self { Some(f) } else { None }
    }
}

/// An element segment. Declarative segments of WebAssembly are passive and empty here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElemSegment {
    /// `FuncRef` or `ExternRef`.
    pub element: Type,
    /// Destination at instantiation; `None` if passive.
    pub active: Option<(Table, Offset)>,
    /// Elements.
    pub items: Vec<ElemItem>,
}

/// Source language of a module: selects the wording of messages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Language {
    /// Text form of the IR, or the builder.
    #[default]
    Ir,
    /// GLSL of a version; `es` as in `#version 300 es`.
    Glsl {
        /// 100, 300, 450, …
        version: u16,
        /// Whether it is OpenGL ES.
        es: bool,
    },
    /// WGSL.
    Wgsl,
    /// SPIR-V.
    Spirv,
    /// WebAssembly.
    Wasm,
    /// VL.
    Vl,
}

/// A module: the unit of compilation.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Source language.
    pub language: Language,
    /// Facts about the program that passes ask for.
    pub facts: Facts,
    /// Types.
    pub types: Types,
    /// Constants.
    pub consts: Consts,
    /// Variables of every scope.
    pub vars: Arena<Var, VarData>,
    /// Variables of module scope, in order.
    pub globals: Vec<Var>,
    /// Functions.
    pub funcs: Arena<Func, Function>,
    /// Functions that the host can call.
    pub entry_points: Vec<EntryPoint>,
    /// Imports of functions.
    pub func_imports: Vec<(Func, Import)>,
    /// Byte-addressed memories.
    pub memories: Arena<Memory, MemoryData>,
    /// Tables.
    pub tables: Arena<Table, TableData>,
    /// Data segments.
    pub data: Arena<Data, DataSegment>,
    /// Element segments.
    pub elems: Arena<Elem, ElemSegment>,
    /// Version, capabilities and extensions of a binary.
    pub spirv_needs: SpirvNeeds,
    /// Ops of the user's own.
    pub custom_ops: Arena<CustomOp, CustomOpData>,
    /// Function called at instantiation, after the segments are copied.
    pub start: Option<Func>,
    /// Extensions enabled by the source, by name.
    pub extensions: Vec<Arc<str>>,
    /// Comments of declarations, if they are kept. The text form does not contain them.
    pub comments: Option<Arc<Comments>>,
}

impl Module {
    /// A module with the predefined types and constants, and the facts of the language.
    pub fn new(language: Language) -> Self {
        Module { language, facts: language.facts(), ..Module::default() }
    }

    /// Declares a variable of module scope, or (space `Function`) of a function, which must list it in a block.
    pub fn add_var(&mut self, name: Name, ty: Type, space: AddressSpace) -> Var {
        let pointer = self.types.pointer(ty, space);
        let var = self.vars.push(VarData {
            name,
            ty,
            pointer,
            space,
            precision: Precision::None,
            decorations: Decorations::new(),
            initializer: None,
            is_const: false,
            span: Span::NONE,
            linkage: None,
        });
        if space != AddressSpace::Function {
            self.globals.push(var);
        }
        var
    }

    /// Declares a function without a body.
    pub fn add_func(&mut self, name: Name, params: Vec<Param>, results: Vec<ResultType>, span: Span) -> Func {
        let param_types: Vec<Type> = params.iter().map(|p| p.ty).collect();
        let result_types: Vec<Type> = results.iter().map(|r| r.ty).collect();
        let ty = self.types.function(&param_types, &result_types);
        let decorations = Decorations::new();
        self.funcs.push(Function { name, params, results, decorations, body: None, span, ty, signature: None })
    }

    /// The type of a value; local values are those of `body`.
    #[inline]
    pub fn type_of(&self, body: &Body, value: Value) -> Type {
        match value.kind() {
            ValueKind::Local(l) => body.local_type(l),
            ValueKind::Const(c) => self.consts[c].ty,
            ValueKind::Var(v) => self.vars[v].pointer,
            ValueKind::Func(f) => self.funcs[f].ty,
        }
    }

    /// Whether an atomic op leaves memory as it is, so that it is a load: the IR has no other atomic loads. The operand is zero in an op of
    /// bits and in a sum of integers, and −0.0 in a sum of floats.
    pub fn is_atomic_load(&self, body: &Body, node: Node) -> bool {
        let op = body.node(node).op;
        let is_sum = matches!(op, Op::AtomicAdd | Op::ImageAtomicAdd | Op::ReferenceAtomicAdd);
        let of_bits = matches!(
            op,
            Op::AtomicOr
                | Op::AtomicXor
                | Op::ImageAtomicOr
                | Op::ImageAtomicXor
                | Op::ReferenceAtomicOr
                | Op::ReferenceAtomicXor
        );
        let operand = body.args(node).last().and_then(|last| last.as_const());
        let Some(operand) = operand.filter(|_| is_sum || of_bits) else { return false };
        match self.consts.as_float(&self.types, operand) {
            Some(float) => is_sum && float == 0.0 && float.is_sign_negative(),
            None => self.consts.as_bits(operand) == Some(0),
        }
    }

    /// The operand with which an atomic op on a scalar is a load ([`Module::is_atomic_load`]), and whether the op is a sum; otherwise it is an
    /// `or`.
    pub fn atomic_load_operand(&mut self, ty: Type) -> (Const, bool) {
        match self.types.scalar_of(ty) {
            Some(scalar) if scalar.is_float() => {
                let sign = 1 << (scalar.bits() - 1);
                (self.consts.bits(ty, sign), true)
            }
            _ => (self.consts.bits(ty, 0), false),
        }
    }

    /// The precision of a value; constants have none of their own.
    #[inline]
    pub fn precision_of(&self, body: &Body, value: Value) -> Precision {
        match value.kind() {
            ValueKind::Local(l) => body.local(l).precision,
            ValueKind::Var(v) => self.vars[v].precision,
            ValueKind::Const(_) | ValueKind::Func(_) => Precision::None,
        }
    }

    /// Functions referenced outside of function bodies, which the host or the instantiation may call: entry points, the
    /// start function, initial values, and elements of tables.
    pub fn roots(&self) -> impl Iterator<Item = Func> {
        let computed = self.globals.iter().filter_map(|&v| self.vars[v].linkage.as_ref()?.computed);
        let items = self.elems.values().flat_map(|e| e.items.iter().filter_map(|i| i.as_func()));
        self.entry_points.iter().map(|e| e.func).chain(self.start).chain(computed).chain(items)
    }

    /// The signature of an export that is the program's own; `None` if there is none, or the function is no export.
    pub fn signature_of(&self, func: Func) -> Option<&Arc<Signature>> {
        let function = &self.funcs[func];
        let signature = function.signature.as_ref().filter(|_| function.body.is_some())?;
        self.entry_points.iter().any(|entry| entry.func == func && entry.stage.is_none()).then_some(signature)
    }

    /// The export name of a function that is an entry point without a stage, else its name in the source.
    pub fn outside_name(&self, func: Func) -> &Arc<str> {
        let exported = self.entry_points.iter().find(|e| e.func == func && e.stage.is_none());
        exported.and_then(|e| e.names.first()).unwrap_or(&self.funcs[func].name.text)
    }

    /// Functions with this name, in the source or as an export.
    pub fn funcs_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Func> + 'a {
        self.funcs.keys().filter(move |&f| *self.funcs[f].name.text == *name || **self.outside_name(f) == *name)
    }

    /// Location of a function in the source; for an imported function, its first call.
    pub fn place_of(&self, func: Func) -> Span {
        let own = self.funcs[func].span;
        if !own.is_none() {
            return own;
        }
        let bodies = self.funcs.values().filter_map(|f| f.body.as_ref());
        let mut calls = bodies.flat_map(|body| {
            let is_call = move |node| body.args(node).first().and_then(|a| a.as_func()) == Some(func);
            body.nodes().filter(move |&(node, _)| is_call(node)).map(|(_, data)| data.span)
        });
        calls.find(|span| !span.is_none()).unwrap_or(own)
    }

    /// Variables referenced outside of function bodies: imports, exports, and offsets and elements of segments.
    pub fn outside_vars(&self) -> impl Iterator<Item = Var> {
        let linked =
            |v: &Var| self.vars[*v].linkage.as_ref().is_some_and(|l| l.import.is_some() || !l.exports.is_empty());
        let offsets = self.data.values().filter_map(|d| Some(d.active?.1));
        let offsets = offsets.chain(self.elems.values().filter_map(|e| Some(e.active?.1)));
        let offsets = offsets.filter_map(|offset| if let Offset::Var(v) = offset { Some(v) } else { None });
        let items = self.elems.values().flat_map(|e| &e.items);
        let items = items.filter_map(|&item| if let ElemItem::Var(v) = item { Some(v) } else { None });
        self.globals.iter().copied().filter(linked).chain(offsets).chain(items)
    }

    /// Renumbers every reference to a function outside of function bodies.
    pub fn renumber_roots(&mut self, mut new: impl FnMut(Func) -> Func) {
        self.entry_points.iter_mut().for_each(|e| e.func = new(e.func));
        self.func_imports.iter_mut().for_each(|(func, _)| *func = new(*func));
        self.start = self.start.map(&mut new);
        for &var in &self.globals {
            if let Some(linkage) = &mut self.vars[var].linkage {
                linkage.computed = linkage.computed.map(&mut new);
            }
        }
        for item in self.elems.values_mut().flat_map(|e| e.items.iter_mut()) {
            if let ElemItem::Func(func) = item {
                *func = new(*func);
            }
        }
    }

    /// Whether any function refers to the variable.
    pub fn is_named(&self, var: Var) -> bool {
        let names = |body: &Body| body.nodes().any(|(node, _)| body.args(node).contains(&var.into()));
        self.funcs.values().any(|f| f.body.as_ref().is_some_and(names))
    }

    /// Whether a node floats in the floating form: it is pure, or a load of memory that the program cannot write. Time
    /// is linear in the length of the pointer's chain of accesses.
    #[inline]
    pub fn floats(&self, body: &Body, op: Op, args: &[Value]) -> bool {
        op.is_pure() || op == Op::Load && args.first().is_some_and(|&p| self.is_constant_memory(body, p))
    }

    /// Whether a node calls a leaf ([`Decoration::Leaf`]).
    pub fn is_leaf_call(&self, op: Op, args: &[Value]) -> bool {
        let callee = || args.first().and_then(|a| a.as_func());
        op == Op::Call && callee().is_some_and(|func| self.funcs[func].is_leaf())
    }

    /// Whether a node calls a leaf whose results are uniform if its arguments are.
    pub fn is_pure_leaf_call(&self, op: Op, args: &[Value]) -> bool {
        let callee = || args.first().and_then(|a| a.as_func());
        op == Op::Call && callee().is_some_and(|func| self.funcs[func].decorations.has(Decoration::Leaf))
    }

    /// Whether the memory of a pointer cannot be written by the program.
    fn is_constant_memory(&self, body: &Body, pointer: Value) -> bool {
        use AddressSpace::{Handle, Input, PushConstant, Uniform};
        let var = body.base(pointer).as_var();
        var.is_some_and(|var| matches!(self.vars[var].space, Handle | Input | PushConstant | Uniform))
    }

    /// The first entry point of a stage, or with `None` the first entry point.
    pub fn entry_point(&self, stage: Option<Stage>) -> Option<&EntryPoint> {
        match stage {
            Some(_) => self.entry_points.iter().find(|e| e.stage == stage),
            None => self.entry_points.first(),
        }
    }
}
