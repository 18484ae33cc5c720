//! HLSL as a shading language.

use planish_back_shading::Language;
use planish_back_shading::bytes::Bytes;
use planish_back_shading::globals::Leaf;
use planish_back_shading::images::Access;
use planish_back_shading::memory::{MemoryRules, Res, fail};
use planish_back_shading::texture::Sample;
use planish_back_text::syntax::Place;
use planish_back_text::tree::{Callee, Decl, Expr, ExprKind, Infix, Symbol};
use planish_back_text::{Abilities, Style, Written};
use planish_interface::describe;
use planish_ir::decoration::BuiltIn;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Func, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::Stage;
use planish_ir::ops::{Lanes, TextureFlags};
use planish_ir::source::Span;
use planish_ir::types::{Dim, ImageKind, ImageType, Scalar, TypeKind};

use crate::ShaderModel;
use crate::helpers::Helper;
use crate::registers::Register;
use crate::words::Hlsl;
use crate::{memory, ops, semantics, syntax, texture};

/// A function that is written.
pub(crate) type Lower<'w, 'm> = planish_back_shading::Lower<'w, 'm, State>;

/// The state of one output.
pub(crate) type Writer<'m> = planish_back_shading::Writer<'m, State>;

/// State that only HLSL has.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) version: ShaderModel,
    /// Functions that the output brings along.
    pub(crate) helpers: Vec<(Helper, Symbol)>,
    /// Whether every use of `gl_FragCoord` leaves its w alone, which HLSL has inverted.
    pub(crate) ignores_w: bool,
    /// Names of types of arrays, for functions that return them.
    pub(crate) arrays: Vec<(Type, Symbol)>,
    /// Registers of declarations.
    pub(crate) registers: Vec<(Symbol, Register)>,
    /// Constructors of structs and arrays.
    pub(crate) makers: Vec<(Type, Symbol)>,
}

impl State {
    pub(crate) fn new(version: ShaderModel, ignores_w: bool) -> State {
        State { version, ignores_w, ..State::default() }
    }
}

impl Language for State {
    const NAME: &'static str = "HLSL";
    const ROUND: &'static str = "round";
    type Words = Hlsl;

    fn target_name(&self) -> String {
        format!("HLSL (shader model {})", self.version)
    }

    fn abilities(&self) -> Abilities {
        Abilities::HLSL
    }

    fn words(&self) -> Hlsl {
        Hlsl
    }

    fn memory(&self) -> MemoryRules {
        MemoryRules { language: "HLSL", lanes_of_three: 3, packed: false }
    }

    fn addresses_bytes(&self) -> bool {
        true
    }

    fn sorts_parts(&self) -> bool {
        true
    }

    fn keeps_unused_inputs(&self, stage: Stage) -> bool {
        stage == Stage::Fragment
    }

    fn builtin_function(&self, builtin: BuiltIn) -> Option<&'static str> {
        match builtin {
            _ if self.version < ShaderModel::V6_0 => None,
            BuiltIn::SubgroupSize => Some("WaveGetLaneCount"),
            BuiltIn::SubgroupInvocationId => Some("WaveGetLaneIndex"),
            _ => None,
        }
    }

    fn has_stencil_reference(&self) -> bool {
        true
    }

    fn builtin_input(&self, builtin: BuiltIn, stage: Stage) -> Option<(Scalar, u8)> {
        use BuiltIn as B;
        let fits = match builtin {
            B::VertexId | B::VertexIndex | B::InstanceId | B::InstanceIndex => stage == Stage::Vertex,
            B::ViewId => stage != Stage::Compute && self.version >= ShaderModel::V6_1,
            B::FragCoord | B::FrontFacing | B::SampleId | B::SampleMaskIn | B::PrimitiveId => stage == Stage::Fragment,
            B::Layer | B::ViewportIndex => stage == Stage::Fragment,
            B::BaryCoord | B::BaryCoordNoPerspective => stage == Stage::Fragment && self.version >= ShaderModel::V6_1,
            B::WorkGroupId | B::LocalInvocationId | B::GlobalInvocationId | B::LocalInvocationIndex => {
                stage == Stage::Compute
            }
            _ => false,
        };
        fits.then_some(match builtin {
            B::FragCoord => (Scalar::F32, 4),
            B::BaryCoord | B::BaryCoordNoPerspective => (Scalar::F32, 3),
            B::FrontFacing => (Scalar::Bool, 1),
            B::WorkGroupId | B::LocalInvocationId | B::GlobalInvocationId => (Scalar::U32, 3),
            _ => (Scalar::U32, 1),
        })
    }

    /// The w of `SV_Position` in a pixel shader is that of the vertex, and not its inverse.
    fn builtin_value(w: &mut Writer<'_>, builtin: BuiltIn, value: Expr) -> Expr {
        if builtin != BuiltIn::FragCoord || w.language.ignores_w {
            return value;
        }
        let [xyz, last] = [&[0, 1, 2][..], &[3]].map(|lanes| w.tree.add(ExprKind::Swizzle(value, Lanes::new(lanes))));
        let one = w.tree.add(ExprKind::Float(1.0));
        let inverse = w.tree.infix(Infix::Div, one, last);
        w.tree.call(Callee::Type(Type::VEC4), &[xyz, inverse])
    }

    /// HLSL has `[earlydepthstencil]`.
    fn early_tests(&self, _: Span) -> Option<Diagnostic> {
        None
    }

    fn check_image(&self, image: ImageType, _: bool, _: Access, span: Span) -> Res<()> {
        let what = || describe(&TypeKind::Image(image));
        if matches!(image.dim, Dim::Subpass | Dim::ExternalYuv) {
            return fail(Code::E0602, span, format!("{} has no {}", self.target_name(), what()));
        }
        if let ImageKind::Storage(_) = image.kind
            && image.multisampled
        {
            return fail(Code::E0602, span, format!("{} has no {} with several samples", self.target_name(), what()));
        }
        Ok(())
    }

    fn expression(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
        ops::expression(l, node)
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

    fn has_name(w: &Writer<'_>, c: Const) -> bool {
        matches!(w.module.types[w.module.consts[c].ty], TypeKind::Array { .. } | TypeKind::Struct(_))
    }

    fn check_kind(w: &mut Writer<'_>, ty: Type, span: Span) {
        let wide = w.language.version.has_wide_integers();
        match w.module.types[ty] {
            TypeKind::Scalar(s) | TypeKind::Vector(s, _) | TypeKind::Matrix { scalar: s, .. } if s.bits() == 64 => {
                if s.is_integer() && !wide {
                    w.lacks_type("64-bit integers", span);
                }
            }
            _ => w.check_kind_of(ty, span),
        }
    }

    fn bounded(l: &mut Lower<'_, '_>, index: Expr, (value, len): (Value, Option<u32>)) -> Expr {
        memory::bounded(l, index, value, len)
    }

    fn atomic_load(l: &mut Lower<'_, '_>, place: Expr) -> Expr {
        let _ = l;
        place
    }

    fn atomic_store(l: &mut Lower<'_, '_>, place: Expr, value: Expr) -> Expr {
        let _ = value;
        let span = l.span;
        l.w.internal("an atomic is no variable", span);
        place
    }

    fn array_length(l: &mut Lower<'_, '_>, place: Expr) -> Expr {
        let span = l.span;
        l.w.internal("a buffer is no array", span);
        place
    }

    fn load_words(w: &mut Writer<'_>, bytes: &Bytes, at: u32, n: u8) -> Expr {
        if bytes.in_vectors {
            return memory::words_of_vectors(w, bytes, at, n);
        }
        let offset = bytes.offset(w, at);
        let name = ["Load", "Load2", "Load3", "Load4"][usize::from(n.clamp(1, 4)) - 1];
        w.tree.call(Callee::Method(name), &[bytes.buffer, offset])
    }

    fn store_words(w: &mut Writer<'_>, bytes: &Bytes, at: u32, n: u8, value: Expr) -> Expr {
        let offset = bytes.offset(w, at);
        let name = ["Store", "Store2", "Store3", "Store4"][usize::from(n.clamp(1, 4)) - 1];
        w.tree.call(Callee::Method(name), &[bytes.buffer, offset, value])
    }

    /// Bytes of a buffer.
    fn byte_count(w: &mut Writer<'_>, bytes: &Bytes) -> Expr {
        let symbol = ops::helper_symbol(w, Helper::BufferSize { written: bytes.written });
        w.tree.call(Callee::User(symbol), &[bytes.buffer])
    }

    /// Of shader model 6.2, as the numbers themselves.
    fn load_number(w: &mut Writer<'_>, bytes: &Bytes, at: u32, scalar: Scalar) -> Expr {
        let offset = bytes.offset(w, at);
        let name = match scalar {
            Scalar::I16 => "Load<int16_t>",
            Scalar::U16 => "Load<uint16_t>",
            _ => "Load<float16_t>",
        };
        w.tree.call(Callee::Method(name), &[bytes.buffer, offset])
    }

    fn store_number(w: &mut Writer<'_>, bytes: &Bytes, at: u32, scalar: Scalar, value: Expr) -> Expr {
        let offset = bytes.offset(w, at);
        let name = match scalar {
            Scalar::I16 => "Store<int16_t>",
            Scalar::U16 => "Store<uint16_t>",
            _ => "Store<float16_t>",
        };
        w.tree.call(Callee::Method(name), &[bytes.buffer, offset, value])
    }

    fn from_words(w: &mut Writer<'_>, words: Expr, scalar: Scalar) -> Expr {
        match scalar {
            Scalar::F32 => w.tree.builtin("asfloat", &[words]),
            Scalar::I32 => w.tree.builtin("asint", &[words]),
            Scalar::I64 | Scalar::U64 | Scalar::F64 => ops::call_helper(w, Helper::FromWords(scalar), &[words]),
            _ => words,
        }
    }

    fn to_words(w: &mut Writer<'_>, value: Expr, scalar: Scalar) -> Expr {
        match scalar {
            Scalar::F32 | Scalar::I32 => w.tree.builtin("asuint", &[value]),
            Scalar::I64 | Scalar::U64 | Scalar::F64 => ops::call_helper(w, Helper::ToWords(scalar), &[value]),
            _ => value,
        }
    }

    fn sample(l: &mut Lower<'_, '_>, image: ImageType, flags: TextureFlags, args: &[Value], ty: Type) -> Option<Expr> {
        texture::sample(l, image, flags, args, ty)
    }

    fn gather(l: &mut Lower<'_, '_>, leaf: Leaf, sample: &Sample, _: Type) -> Option<Expr> {
        texture::gather(l, leaf, sample)
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

    fn store_texel(l: &mut Lower<'_, '_>, _: Leaf, _: ImageType, _: (Expr, Option<Expr>), value: Expr) -> Option<Expr> {
        let span = l.span;
        l.w.internal("a store to an image is a statement", span);
        Some(value)
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

    fn texture_count(l: &mut Lower<'_, '_>, leaf: Leaf, _: bool) -> Option<Expr> {
        let span = l.span;
        l.w.internal("a count is written with its texture", span);
        planish_back_shading::texture::texture_of(l, leaf)
    }

    fn other_texture(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
        texture::other(l, node)
    }

    fn style() -> &'static Style {
        &syntax::STYLE
    }

    fn function_head(w: &Writer<'_>, function: &Written, out: &mut String) {
        match w.entries.iter().find(|e| e.func == function.func) {
            Some(entry) => semantics::entry_head(w, entry, function, out),
            None => syntax::function_head(w, function, out),
        }
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

    fn constant(w: &Writer<'_>, c: Const, _: Option<Type>, out: &mut String) {
        syntax::push_constant(w, c, out);
    }

    fn constructor(w: &Writer<'_>, ty: Type, out: &mut String) -> &'static str {
        syntax::constructor(w, ty, out)
    }

    fn splat(w: &Writer<'_>, ty: Type, out: &mut String) -> (Place, &'static str) {
        out.push('(');
        out.push_str(&syntax::type_name(w, ty));
        out.push(')');
        (Place::Prefix, "")
    }

    fn results_head(_: &Writer<'_>, _: Func, _: &mut String) {}

    fn results(_: &Writer<'_>, _: Func, out: &mut String) -> &'static str {
        out.push('(');
        ")"
    }

    fn needs_parentheses(w: &Writer<'_>, place: Place, e: Expr) -> Option<bool> {
        let is_splat = matches!(w.tree.kind(e), ExprKind::Splat(..));
        (is_splat && place == Place::Postfix).then_some(true)
    }
}
