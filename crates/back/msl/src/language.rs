//! Metal as a shading language.

use planish_back_shading::Language;
use planish_back_shading::entry::{Attribute, Location};
use planish_back_shading::globals::{DeclaredType, Kind, Leaf, Prepared};
use planish_back_shading::images::Access;
use planish_back_shading::memory::{MemoryRules, Res};
use planish_back_shading::texture::Sample;
use planish_back_text::syntax::Place;
use planish_back_text::tree::{Decl, Expr, ExprKind, Infix, Symbol};
use planish_back_text::{Abilities, Casts, Results, Style, Written};
use planish_ir::decoration::{BuiltIn, Decorations, Precision};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Func, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::{Module, Stage};
use planish_ir::ops::TextureFlags;
use planish_ir::source::Span;
use planish_ir::types::{ImageType, Member, Scalar, StructType, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Options;
use crate::indices::Indices;
use crate::version::Version;
use crate::words::Msl;
use crate::{counters, groups, images, memory, ops, syntax, texture};

/// A function that is written.
pub(crate) type Lower<'w, 'm> = planish_back_shading::Lower<'w, 'm, State>;

/// The state of one output.
pub(crate) type Writer<'m> = planish_back_shading::Writer<'m, State>;

/// State that only MSL has.
pub(crate) struct State {
    pub(crate) version: Version,
    /// Metal's numbers of what the host binds, by declaration.
    pub(crate) indices: Indices,
    /// Structs of argument buffers, by their groups.
    pub(crate) groups: Vec<(u32, Symbol)>,
    /// Parameters of entry points that are argument buffers, with their groups.
    pub(crate) group_params: Vec<(Func, u32, Symbol)>,
    /// Declarations of buffers with a size, by their members in the struct of sizes.
    pub(crate) sized: Vec<Symbol>,
    /// Names of the values that the host may give to overrides, by declaration.
    pub(crate) given: Vec<(Symbol, Symbol)>,
    /// Casts of unsigned integers to signed ones that keep the bits.
    pub(crate) wrapped: FxHashSet<Expr>,
    /// Nodes of the current function that cannot overflow.
    pub(crate) steps: FxHashSet<Node>,
    /// Sizes of types of members, in bytes.
    pub(crate) sizes: FxHashMap<Type, u32>,
}

impl State {
    /// The state of an empty output.
    pub(crate) fn new(options: &Options) -> State {
        State {
            version: options.version,
            indices: Indices {
                chosen: options.indices.clone(),
                by_groups: options.argument_buffers,
                ..Indices::default()
            },
            groups: vec![],
            group_params: vec![],
            sized: vec![],
            given: vec![],
            wrapped: FxHashSet::default(),
            steps: FxHashSet::default(),
            sizes: FxHashMap::default(),
        }
    }
}

const STYLE: Style = Style { casts: Casts::Call, discard: "discard_fragment()", ..Style::C };

/// The attribute of a built-in in a stage.
pub(crate) fn builtin_name(builtin: BuiltIn) -> Option<&'static str> {
    use BuiltIn as B;
    Some(match builtin {
        B::VertexId | B::VertexIndex => "vertex_id",
        B::InstanceId | B::InstanceIndex => "instance_id",
        B::BaseVertex => "base_vertex",
        B::BaseInstance => "base_instance",
        B::ViewId => "amplification_id",
        B::FragCoord | B::Position => "position",
        B::PointSize => "point_size",
        B::FrontFacing => "front_facing",
        B::PointCoord => "point_coord",
        B::SampleId => "sample_id",
        B::SampleMaskIn | B::SampleMask => "sample_mask",
        B::FragStencilRef => "stencil",
        B::BaryCoord => "barycentric_coord",
        B::BaryCoordNoPerspective => "barycentric_coord, center_no_perspective",
        B::PrimitiveId => "primitive_id",
        B::Layer => "render_target_array_index",
        B::ViewportIndex => "viewport_array_index",
        B::NumWorkGroups => "threadgroups_per_grid",
        B::WorkGroupId => "threadgroup_position_in_grid",
        B::LocalInvocationId => "thread_position_in_threadgroup",
        B::GlobalInvocationId => "thread_position_in_grid",
        B::LocalInvocationIndex => "thread_index_in_threadgroup",
        B::NumSubgroups => "simdgroups_per_threadgroup",
        B::SubgroupId => "simdgroup_index_in_threadgroup",
        B::SubgroupSize => "threads_per_simdgroup",
        B::SubgroupInvocationId => "thread_index_in_simdgroup",
        B::FragDepth => "depth(any)",
        B::ClipDistance => "clip_distance",
        _ => return None,
    })
}

impl Language for State {
    const NAME: &'static str = "MSL";
    const ROUND: &'static str = "rint";
    type Words = Msl;

    fn target_name(&self) -> String {
        self.version.to_string()
    }

    /// No pointers to parts: a component of a vector has no reference, and memory of other address spaces has other types.
    fn abilities(&self) -> Abilities {
        Abilities { several_results: Results::Value, pointers_to_parts: false, ..Abilities::MSL }
    }

    fn words(&self) -> Msl {
        Msl
    }

    fn memory(&self) -> MemoryRules {
        MemoryRules { language: "MSL", lanes_of_three: 4, packed: true }
    }

    fn gathers_inputs(&self) -> bool {
        true
    }

    /// A position and the first colour need no attribute.
    fn returns_struct(&self, stage: Stage, attribute: &Attribute) -> bool {
        match attribute {
            Attribute::BuiltIn { builtin: BuiltIn::Position, invariant: false } => stage != Stage::Vertex,
            Attribute::Location(Location { number: 0, blend_source: None, .. }) => stage != Stage::Fragment,
            _ => true,
        }
    }

    /// Clip distances are an array of C, which no value is.
    fn lists_elements(&self, attribute: &Attribute) -> bool {
        matches!(attribute, Attribute::BuiltIn { builtin: BuiltIn::ClipDistance, .. })
    }

    fn passes_globals(&self) -> bool {
        true
    }

    fn has_point_size(&self) -> bool {
        true
    }

    fn has_stencil_reference(&self) -> bool {
        self.version >= Version::V2_1
    }

    fn builtin_input(&self, builtin: BuiltIn, stage: Stage) -> Option<(Scalar, u8)> {
        use BuiltIn as B;
        let fits = match builtin {
            B::VertexId | B::VertexIndex | B::InstanceId | B::InstanceIndex => stage == Stage::Vertex,
            B::BaseVertex | B::BaseInstance => stage == Stage::Vertex,
            B::ViewId => stage != Stage::Compute && self.version >= Version::V2_3,
            B::FragCoord | B::FrontFacing | B::PointCoord | B::SampleId | B::SampleMaskIn => stage == Stage::Fragment,
            B::Layer | B::ViewportIndex => stage == Stage::Fragment,
            B::PrimitiveId => stage == Stage::Fragment && self.version >= Version::V2_2,
            B::BaryCoord | B::BaryCoordNoPerspective => stage == Stage::Fragment && self.version >= Version::V2_2,
            B::SubgroupSize | B::SubgroupInvocationId if self.version >= Version::V2_2 => stage != Stage::Vertex,
            B::Position | B::PointSize | B::SampleMask | B::FragDepth | B::FragStencilRef => false,
            B::ClipDistance => false,
            _ => stage == Stage::Compute,
        };
        builtin_name(builtin).filter(|_| fits)?;
        Some(match builtin {
            B::FragCoord => (Scalar::F32, 4),
            B::PointCoord => (Scalar::F32, 2),
            B::BaryCoord | B::BaryCoordNoPerspective => (Scalar::F32, 3),
            B::FrontFacing => (Scalar::Bool, 1),
            B::NumWorkGroups | B::WorkGroupId | B::LocalInvocationId | B::GlobalInvocationId => (Scalar::U32, 3),
            _ => (Scalar::U32, 1),
        })
    }

    fn early_tests(&self, _: Span) -> Option<Diagnostic> {
        None
    }

    fn check_image(&self, image: ImageType, depth: bool, access: Access, span: Span) -> Res<()> {
        images::text(self.version, image, depth, access, span).map(drop)
    }

    /// The sizes of buffers, and the names of overrides.
    fn extend(&mut self, module: &mut Module, prepared: &mut Prepared) {
        let symbols = || (0..prepared.declared.len() as u32).map(Symbol);
        self.sized = symbols().filter(|&s| prepared.is_sized(module, s)).collect();
        if !self.sized.is_empty() {
            let member = |s: &Symbol| {
                let name = prepared.declared[s.0 as usize].name.as_str();
                let name = if name.is_empty() { "block" } else { name };
                let (precision, decorations) = (Precision::None, Decorations::new());
                Member { name: name.into(), ty: Type::U32, precision, decorations }
            };
            let members = self.sized.iter().map(member).collect();
            let shape = StructType { name: "BufferSizes".into(), members, is_block: false };
            let ty = module.types.intern(TypeKind::Struct(shape.into()));
            prepared.sizes = Some(prepared.add("buffer_sizes", Kind::Sizes, DeclaredType::Type(ty)));
        }
        self.indices.assign(&prepared.declared);
    }

    fn unpacked(w: &mut Writer<'_>, func: Func, symbol: Symbol) -> Option<Expr> {
        groups::unpacked(w, func, symbol)
    }

    /// `main` is no name of an entry point.
    fn entry_name(&self, name: &str, stage: Stage) -> String {
        let is_taken = planish_back_text::Words::is_refused(&Msl, name);
        if is_taken { format!("{}_{name}", stage.name()) } else { name.to_owned() }
    }

    fn expression(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
        ops::expression(l, node)
    }

    fn begin_function(w: &mut Writer<'_>, func: Func) {
        let body = w.module.funcs[func].body.as_ref();
        w.language.steps = body.map(|body| counters::steps(w.module, body)).unwrap_or_default();
    }

    fn statement(l: &mut Lower<'_, '_>, node: Node) -> bool {
        ops::statement(l, node) || texture::statement(l, node)
    }

    fn lacks(l: &Lower<'_, '_>, node: Node) -> (Code, String) {
        ops::lacks(l, node)
    }

    fn assign_operator(w: &Writer<'_>, body: &Body, node: Node) -> Option<Infix> {
        ops::assign_operator(w, body, node)
    }

    /// Integers of 64 bits are of MSL 2.3.
    fn check_kind(w: &mut Writer<'_>, ty: Type, span: Span) {
        match w.module.types[ty] {
            TypeKind::Scalar(Scalar::I64 | Scalar::U64) | TypeKind::Vector(Scalar::I64 | Scalar::U64, _) => {
                if w.language.version < Version::V2_3 {
                    w.lacks_type("64-bit integers; MSL 2.3 has (`--msl-version=2.3`)", span);
                }
            }
            _ => w.check_kind_of(ty, span),
        }
    }

    /// Of structs, too; arrays are no operands of `?:` in all address spaces.
    fn may_choose(w: &Writer<'_>, ty: Type) -> bool {
        w.may_select(ty)
    }

    fn nonfinite(w: &mut Writer<'_>, c: Const) -> Expr {
        ops::nonfinite(w, c)
    }

    fn bounded(l: &mut Lower<'_, '_>, index: Expr, of: (Value, Option<u32>)) -> Expr {
        memory::bounded(l, index, of)
    }

    fn bounded_by_buffer(l: &mut Lower<'_, '_>, index: Expr, of: (Value, Expr)) -> Expr {
        memory::bounded_by_buffer(l, index, of)
    }

    fn atomic_load(l: &mut Lower<'_, '_>, place: Expr) -> Expr {
        memory::atomic(l, "atomic_load_explicit", place, &[])
    }

    fn atomic_store(l: &mut Lower<'_, '_>, place: Expr, value: Expr) -> Expr {
        memory::atomic(l, "atomic_store_explicit", place, &[value])
    }

    fn array_length(l: &mut Lower<'_, '_>, place: Expr) -> Expr {
        memory::array_length(l, place)
    }

    fn sample(l: &mut Lower<'_, '_>, image: ImageType, flags: TextureFlags, args: &[Value], ty: Type) -> Option<Expr> {
        texture::sample(l, image, flags, args, ty)
    }

    fn gather(l: &mut Lower<'_, '_>, leaf: Leaf, sample: &Sample, ty: Type) -> Option<Expr> {
        texture::sample_one(l, leaf, sample, ty)
    }

    fn texel(
        l: &mut Lower<'_, '_>,
        leaf: Leaf,
        image: ImageType,
        at: (Expr, Option<Expr>),
        level: Option<Expr>,
    ) -> Option<Expr> {
        texture::texel(l, leaf, image, at, level)
    }

    fn store_texel(
        l: &mut Lower<'_, '_>,
        leaf: Leaf,
        image: ImageType,
        at: (Expr, Option<Expr>),
        value: Expr,
    ) -> Option<Expr> {
        texture::store_texel(l, leaf, image, at, value)
    }

    fn texture_size(
        l: &mut Lower<'_, '_>,
        leaf: Leaf,
        image: ImageType,
        level: Option<Expr>,
        ty: Type,
    ) -> Option<Expr> {
        texture::size(l, leaf, image, level, ty)
    }

    fn texture_count(l: &mut Lower<'_, '_>, leaf: Leaf, levels: bool) -> Option<Expr> {
        texture::count(l, leaf, levels)
    }

    fn other_texture(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
        texture::other(l, node)
    }

    fn style() -> &'static Style {
        &STYLE
    }

    fn function_head(w: &Writer<'_>, function: &Written, out: &mut String) {
        syntax::function_head(w, function, out);
    }

    fn type_name(w: &Writer<'_>, ty: Type) -> String {
        syntax::type_name(w, ty)
    }

    fn declaration_head(w: &Writer<'_>, decl: &Decl, out: &mut String) {
        syntax::declaration_head(w, decl, out);
    }

    fn declaration_name(w: &Writer<'_>, decl: &Decl, out: &mut String) {
        // Each of several names has its sign.
        out.push_str(groups::sign(w, decl.symbol));
        out.push_str(&w.name(decl.symbol));
    }

    fn constant(w: &Writer<'_>, c: Const, constructor: Option<Type>, out: &mut String) {
        syntax::constant(w, c, constructor, out);
    }

    fn number(_: &Writer<'_>, kind: ExprKind, out: &mut String) -> bool {
        if let ExprKind::Int(i32::MIN) = kind {
            out.push_str("int(0x80000000u)");
            return true;
        }
        false
    }

    fn constructor(w: &Writer<'_>, ty: Type, out: &mut String) -> &'static str {
        out.push_str(&syntax::type_name(w, ty));
        let is_aggregate = matches!(w.module.types[ty], TypeKind::Struct(_) | TypeKind::Array { .. });
        out.push_str(if is_aggregate { "{" } else { "(" });
        if is_aggregate { "}" } else { ")" }
    }

    fn results_head(w: &Writer<'_>, func: Func, out: &mut String) {
        out.push_str(&syntax::results_name(w, func));
        out.push(' ');
    }

    fn results(w: &Writer<'_>, func: Func, out: &mut String) -> &'static str {
        out.push_str(&syntax::results_name(w, func));
        out.push('{');
        "}"
    }

    fn needs_parentheses(_: &Writer<'_>, _: Place, _: Expr) -> Option<bool> {
        None
    }
}
