//! WGSL as a shading language.

use planish_back_shading::Language;
use planish_back_shading::globals::Leaf;
use planish_back_shading::images::Access;
use planish_back_shading::memory::{Memory, MemoryRules, Res};
use planish_back_shading::texture::Sample;
use planish_back_text::syntax::Place;
use planish_back_text::tree::{Callee, Decl, Expr, ExprKind, Infix, Symbol};
use planish_back_text::{Abilities, Style, Written};
use planish_ir::decoration::BuiltIn;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Const, Func, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::Stage;
use planish_ir::ops::TextureFlags;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, ImageType, Scalar, Types};

use crate::words::Wgsl;
use crate::{blocks, images, ops, syntax, texture};

/// A function that is written.
pub(crate) type Lower<'w, 'm> = planish_back_shading::Lower<'w, 'm, State>;

/// The state of one output.
pub(crate) type Writer<'m> = planish_back_shading::Writer<'m, State>;

/// State that only WGSL has.
#[derive(Default)]
pub(crate) struct State {
    /// Private variables that hold the bits of NaN and infinity.
    pub(crate) bits: Vec<(u32, Symbol)>,
    pub(crate) takes_derivatives: bool,
    /// Whether it has ops on subgroups.
    pub(crate) has_subgroups: bool,
}

/// The name of a built-in.
pub(crate) fn builtin_name(builtin: BuiltIn) -> Option<&'static str> {
    use BuiltIn as B;
    Some(match builtin {
        B::VertexId | B::VertexIndex => "vertex_index",
        B::InstanceId | B::InstanceIndex => "instance_index",
        B::ViewId => "view_index",
        B::FragCoord | B::Position => "position",
        B::FrontFacing => "front_facing",
        B::SampleId => "sample_index",
        B::SampleMaskIn | B::SampleMask => "sample_mask",
        B::PrimitiveId => "primitive_index",
        B::NumWorkGroups => "num_workgroups",
        B::WorkGroupId => "workgroup_id",
        B::LocalInvocationId => "local_invocation_id",
        B::GlobalInvocationId => "global_invocation_id",
        B::LocalInvocationIndex => "local_invocation_index",
        B::SubgroupSize => "subgroup_size",
        B::SubgroupInvocationId => "subgroup_invocation_id",
        B::ClipDistance => "clip_distances",
        B::FragDepth => "frag_depth",
        _ => return None,
    })
}

impl Language for State {
    const NAME: &'static str = "WGSL";
    const ROUND: &'static str = "round";
    const RETURNS_AT_END: bool = true;
    type Words = Wgsl;

    fn abilities(&self) -> Abilities {
        Abilities::WGSL
    }

    fn words(&self) -> Wgsl {
        Wgsl
    }

    fn memory(&self) -> MemoryRules {
        MemoryRules { language: "WGSL", lanes_of_three: 3, packed: false }
    }

    fn passes_images(&self) -> bool {
        false
    }

    fn has_short_structs(&self) -> bool {
        true
    }

    fn builtin_input(&self, builtin: BuiltIn, stage: Stage) -> Option<(Scalar, u8)> {
        use BuiltIn as B;
        let fits = match builtin {
            B::VertexId | B::VertexIndex | B::InstanceId | B::InstanceIndex => stage == Stage::Vertex,
            B::ViewId => stage != Stage::Compute,
            B::FragCoord | B::FrontFacing | B::SampleId | B::SampleMaskIn | B::PrimitiveId => stage == Stage::Fragment,
            B::SubgroupSize | B::SubgroupInvocationId => stage != Stage::Vertex,
            B::Position | B::SampleMask | B::ClipDistance | B::FragDepth => false,
            _ => stage == Stage::Compute,
        };
        builtin_name(builtin).filter(|_| fits)?;
        Some(match builtin {
            B::FragCoord => (Scalar::F32, 4),
            B::FrontFacing => (Scalar::Bool, 1),
            B::NumWorkGroups | B::WorkGroupId | B::LocalInvocationId | B::GlobalInvocationId => (Scalar::U32, 3),
            _ => (Scalar::U32, 1),
        })
    }

    fn check_image(&self, image: ImageType, depth: bool, access: Access, span: Span) -> Res<()> {
        images::text(image, depth, access, span).map(drop)
    }

    fn check_block(&self, memory: &mut Memory, types: &Types, ty: Type, space: AddressSpace, span: Span) -> Res<()> {
        blocks::check(memory, types, ty, space, span)
    }

    fn expression(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
        ops::expression(l, node)
    }

    fn statement(l: &mut Lower<'_, '_>, node: Node) -> bool {
        ops::statement(l, node)
    }

    fn lacks(l: &Lower<'_, '_>, node: Node) -> (Code, String) {
        ops::lacks(l, node)
    }

    fn assign_operator(w: &Writer<'_>, body: &Body, node: Node) -> Option<Infix> {
        ops::assign_operator(w, body, node)
    }

    fn select(w: &mut Writer<'_>, condition: Expr, yes: Expr, no: Expr) -> Expr {
        w.tree.builtin("select", &[no, yes, condition])
    }

    fn nonfinite(w: &mut Writer<'_>, c: Const) -> Expr {
        ops::nonfinite(w, c)
    }

    /// Calls of functions with effects, and increments.
    fn is_statement(w: &Writer<'_>, e: Expr) -> bool {
        match w.tree.kind(e) {
            ExprKind::Call(Callee::User(_), _) | ExprKind::Postfix("++" | "--", _) | ExprKind::Name(_) => true,
            ExprKind::Call(Callee::BuiltIn(name), _) => {
                name.starts_with("atomic") && name != "atomicLoad"
                    || name == "textureStore"
                    || name.ends_with("Barrier")
            }
            _ => false,
        }
    }

    fn atomic_load(l: &mut Lower<'_, '_>, place: Expr) -> Expr {
        let pointer = l.w.tree.address_of(place);
        l.w.tree.builtin("atomicLoad", &[pointer])
    }

    fn atomic_store(l: &mut Lower<'_, '_>, place: Expr, value: Expr) -> Expr {
        let pointer = l.w.tree.address_of(place);
        l.w.tree.builtin("atomicStore", &[pointer, value])
    }

    fn array_length(l: &mut Lower<'_, '_>, place: Expr) -> Expr {
        let pointer = l.w.tree.address_of(place);
        l.w.tree.builtin("arrayLength", &[pointer])
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
        _: ImageType,
        at: (Expr, Option<Expr>),
        value: Expr,
    ) -> Option<Expr> {
        texture::store_texel(l, leaf, at, value)
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
        texture::count(l, leaf, if levels { "textureNumLevels" } else { "textureNumSamples" })
    }

    fn style() -> &'static Style {
        &Style::WGSL
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
        syntax::declaration_name(w, decl, out);
    }

    fn constant(w: &Writer<'_>, c: Const, constructor: Option<Type>, out: &mut String) {
        syntax::constant(w, c, constructor, out);
    }

    fn results_head(_: &Writer<'_>, _: Func, out: &mut String) {
        out.push_str("let ");
    }

    fn results(w: &Writer<'_>, func: Func, out: &mut String) -> &'static str {
        syntax::results(w, func, out)
    }

    fn needs_parentheses(w: &Writer<'_>, place: Place, e: Expr) -> Option<bool> {
        Some(syntax::needs_parentheses(w, place, e))
    }
}
