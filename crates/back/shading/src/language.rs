//! The interface of a shading language.

use planish_back_text::syntax::Place;
use planish_back_text::tree::{Decl, Expr, ExprKind, Infix, Symbol};
use planish_back_text::{Abilities, Style, Words, Written};
use planish_ir::decoration::BuiltIn;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Func, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::{Module, Stage};
use planish_ir::ops::{Lanes, TextureFlags};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, ImageType, Scalar, TypeKind, Types};

use crate::bytes::Bytes;
use crate::dialect::Lower;
use crate::entry::Attribute;
use crate::globals::{Leaf, Prepared};
use crate::images::Access;
use crate::memory::{Memory, MemoryRules, Res};
use crate::texture::Sample;
use crate::writer::Writer;

/// A shading language with typed memory, separate textures and samplers, and entry points with parameters and a result. It is
/// the language's own state of one output, too ([`Writer::language`]).
///
/// Nodes and their spelling are those of [`Dialect`](planish_back_text::Dialect) and [`Syntax`](planish_back_text::Syntax), with the [`Writer`] for `self`.
pub trait Language: Sized {
    /// Its name, without version.
    const NAME: &'static str;
    /// The function that rounds to the nearest even integer.
    const ROUND: &'static str;
    /// A function with a result ends in `return`, even where control does not get.
    const RETURNS_AT_END: bool = false;
    /// Its words.
    type Words: Words;

    // Facts.

    /// Its name with the version, in messages.
    fn target_name(&self) -> String {
        Self::NAME.to_owned()
    }

    /// Constructs that it has.
    fn abilities(&self) -> Abilities;

    /// Words of the language and version.
    fn words(&self) -> Self::Words;

    /// Layout of memory.
    fn memory(&self) -> MemoryRules;

    /// Whether memory is that of Direct3D: constant buffers are [in registers](crate::registers), storage buffers
    /// [addressed by bytes](crate::bytes). Atomics are plain integers.
    fn addresses_bytes(&self) -> bool {
        false
    }

    /// Whether inputs and outputs are declared by their locations, built-ins last, so that stages match by their order.
    fn sorts_parts(&self) -> bool {
        false
    }

    /// Whether inputs with locations are declared even if they are not in use, so that stages match by their order.
    fn keeps_unused_inputs(&self, _: Stage) -> bool {
        false
    }

    /// Whether all inputs with locations are members of one parameter of the entry point.
    fn gathers_inputs(&self) -> bool {
        false
    }

    /// Whether the output of a stage is the member of a struct even if it is the only one.
    fn returns_struct(&self, _: Stage, _: &Attribute) -> bool {
        false
    }

    /// Whether an array that a stage gives as a built-in is a list of its elements in the result, which is written at the end.
    fn lists_elements(&self, _: &Attribute) -> bool {
        false
    }

    /// The first value of a declaration that an entry point takes as a part of another parameter; `None`: it is a parameter itself, or
    /// has no value from outside. Only if [`Language::passes_globals`].
    fn unpacked(_: &mut Writer<'_, Self>, _: Func, _: Symbol) -> Option<Expr> {
        None
    }

    /// Whether functions take global variables as parameters ([`Writer::passed`]), as there are none of module scope.
    fn passes_globals(&self) -> bool {
        false
    }

    /// Whether storage images may be arguments.
    fn passes_images(&self) -> bool {
        true
    }

    /// Whether vertex shaders have a point size.
    fn has_point_size(&self) -> bool {
        false
    }

    /// Whether fragment shaders give the reference value of the stencil test.
    fn has_stencil_reference(&self) -> bool {
        false
    }

    /// Whether there is a stage.
    fn has_stage(&self, stage: Stage) -> bool {
        matches!(stage, Stage::Vertex | Stage::Fragment | Stage::Compute)
    }

    /// The type of a built-in input in the language, as scalar and number of components; `None`: the stage has none.
    fn builtin_input(&self, builtin: BuiltIn, stage: Stage) -> Option<(Scalar, u8)>;

    /// The function without parameters that gives a built-in input, where it is no parameter: an unsigned integer.
    fn builtin_function(&self, _builtin: BuiltIn) -> Option<&'static str> {
        None
    }

    /// The warning that depth tests are not early.
    fn early_tests(&self, span: Span) -> Option<Diagnostic> {
        let message =
            format!("{} has no `early_fragment_tests`; the depth test may run after the shader", self.target_name());
        Some(Diagnostic::warning(Code::W0151, span, message))
    }

    /// The value of a built-in of the program from that of the language.
    fn builtin_value(_: &mut Writer<'_, Self>, _: BuiltIn, value: Expr) -> Expr {
        value
    }

    /// Refuses textures that the language lacks; `depth`: its samples are depths.
    fn check_image(&self, image: ImageType, depth: bool, access: Access, span: Span) -> Res<()>;

    /// Refuses a block whose type in memory the language cannot place in an address space.
    fn check_block(&self, _: &mut Memory, _: &Types, _: Type, _: AddressSpace, _: Span) -> Res<()> {
        Ok(())
    }

    // Nodes.

    /// [`Dialect::expression`](planish_back_text::Dialect::expression), for ops that are no textures.
    fn expression(lower: &mut Lower<'_, '_, Self>, node: Node) -> Option<Expr>;

    /// Whether structs have short names in minified output, and the members of those that no host shares.
    fn has_short_structs(&self) -> bool {
        false
    }

    /// Called before a function is written.
    fn begin_function(_: &mut Writer<'_, Self>, _: Func) {}

    /// [`Dialect::statement`](planish_back_text::Dialect::statement).
    fn statement(lower: &mut Lower<'_, '_, Self>, node: Node) -> bool;

    /// [`Dialect::lacks`](planish_back_text::Dialect::lacks).
    fn lacks(lower: &Lower<'_, '_, Self>, node: Node) -> (Code, String);

    /// [`Dialect::assign_operator`](planish_back_text::Dialect::assign_operator).
    fn assign_operator(w: &Writer<'_, Self>, body: &Body, node: Node) -> Option<Infix>;

    /// One of two values of scalars or vectors.
    fn select(w: &mut Writer<'_, Self>, condition: Expr, yes: Expr, no: Expr) -> Expr {
        w.tree.add(ExprKind::Ternary(condition, yes, no))
    }

    /// [`Dialect::may_choose`](planish_back_text::Dialect::may_choose).
    fn may_choose(w: &Writer<'_, Self>, ty: Type) -> bool {
        w.may_select(ty)
    }

    /// A constant with NaN or infinity in it.
    fn nonfinite(w: &mut Writer<'_, Self>, c: Const) -> Expr {
        w.tree.add(ExprKind::Literal(c))
    }

    /// [`Dialect::has_name`](planish_back_text::Dialect::has_name).
    fn has_name(w: &Writer<'_, Self>, c: Const) -> bool {
        matches!(w.module.types[w.module.consts[c].ty], TypeKind::Array { .. })
    }

    /// [`Dialect::check_kind`](planish_back_text::Dialect::check_kind).
    fn check_kind(w: &mut Writer<'_, Self>, ty: Type, span: Span) {
        w.check_kind_of(ty, span);
    }

    /// Whether an expression may be a statement. All others are assigned to `_`.
    fn is_statement(_: &Writer<'_, Self>, _: Expr) -> bool {
        true
    }

    // Memory.

    /// A computed index, from the operand `value` into `len` parts, as one that the language takes: where it does not clamp indices
    /// itself, clamped.
    fn bounded(_: &mut Lower<'_, '_, Self>, index: Expr, _: (Value, Option<u32>)) -> Expr {
        index
    }

    /// As [`Language::bounded`], for the array `base`, which its buffer sizes.
    fn bounded_by_buffer(_: &mut Lower<'_, '_, Self>, index: Expr, _: (Value, Expr)) -> Expr {
        index
    }

    /// Adds declarations of the language's own to those of the program.
    fn extend(&mut self, _: &mut Module, _: &mut Prepared) {}

    /// The name of an entry point, which the host looks up.
    fn entry_name(&self, name: &str, _: Stage) -> String {
        name.to_owned()
    }

    /// The value of an atomic at a place.
    fn atomic_load(lower: &mut Lower<'_, '_, Self>, place: Expr) -> Expr;

    /// Writes the value of an atomic at a place.
    fn atomic_store(lower: &mut Lower<'_, '_, Self>, place: Expr, value: Expr) -> Expr;

    /// A vector as a packed one ([`packed_of`](crate::memory::packed_of)) of type `ty`.
    fn packed(lower: &mut Lower<'_, '_, Self>, value: Expr, ty: Type) -> Expr {
        lower.w.tree.add(ExprKind::Cast(ty, value))
    }

    /// The length of an array that its buffer sizes, as an integer of any type.
    fn array_length(lower: &mut Lower<'_, '_, Self>, place: Expr) -> Expr;

    /// `n` words of [bytes](crate::bytes), behind the place by a number of bytes, as `u32`s. Only if
    /// [`Language::addresses_bytes`], as all of these.
    fn load_words(w: &mut Writer<'_, Self>, bytes: &Bytes, at: u32, _n: u8) -> Expr {
        bytes.offset(w, at)
    }

    /// Writes `n` words.
    fn store_words(w: &mut Writer<'_, Self>, bytes: &Bytes, at: u32, _n: u8, _value: Expr) -> Expr {
        bytes.offset(w, at)
    }

    /// The number of bytes of a buffer, as `u32`.
    fn byte_count(w: &mut Writer<'_, Self>, _: &Bytes) -> Expr {
        w.uint(0)
    }

    /// A number of 16 bits of [bytes](crate::bytes), behind the place by a number of bytes.
    fn load_number(w: &mut Writer<'_, Self>, bytes: &Bytes, at: u32, _: Scalar) -> Expr {
        bytes.offset(w, at)
    }

    /// Writes a number of 16 bits.
    fn store_number(w: &mut Writer<'_, Self>, bytes: &Bytes, at: u32, _: Scalar, _value: Expr) -> Expr {
        bytes.offset(w, at)
    }

    /// Words as numbers of a type with the same bits; of 64 bits, two words as one number.
    fn from_words(_: &mut Writer<'_, Self>, words: Expr, _: Scalar) -> Expr {
        words
    }

    /// Numbers as words with the same bits; of 64 bits, one number as two words.
    fn to_words(_: &mut Writer<'_, Self>, value: Expr, _: Scalar) -> Expr {
        value
    }

    // Textures.

    /// A sample.
    fn sample(
        lower: &mut Lower<'_, '_, Self>,
        image: ImageType,
        flags: TextureFlags,
        args: &[Value],
        ty: Type,
    ) -> Option<Expr>;

    /// A gather of four texels.
    fn gather(lower: &mut Lower<'_, '_, Self>, leaf: Leaf, sample: &Sample, ty: Type) -> Option<Expr>;

    /// A texel by its position (with the layer): of a level or sample, or of a storage image.
    fn texel(
        lower: &mut Lower<'_, '_, Self>,
        leaf: Leaf,
        image: ImageType,
        at: (Expr, Option<Expr>),
        level: Option<Expr>,
    ) -> Option<Expr>;

    /// Writes a texel of a storage image.
    fn store_texel(
        lower: &mut Lower<'_, '_, Self>,
        leaf: Leaf,
        image: ImageType,
        at: (Expr, Option<Expr>),
        value: Expr,
    ) -> Option<Expr>;

    /// The size of a texture, with its layers, as type `ty`.
    fn texture_size(
        lower: &mut Lower<'_, '_, Self>,
        leaf: Leaf,
        image: ImageType,
        level: Option<Expr>,
        ty: Type,
    ) -> Option<Expr>;

    /// The number of levels, or of samples, as `i32`.
    fn texture_count(lower: &mut Lower<'_, '_, Self>, leaf: Leaf, levels: bool) -> Option<Expr>;

    /// Any other op of textures.
    fn other_texture(_: &mut Lower<'_, '_, Self>, _: Node) -> Option<Expr> {
        None
    }

    // Spelling.

    /// [`Syntax::style`](planish_back_text::Syntax::style).
    fn style() -> &'static Style;

    /// [`Syntax::function_head`](planish_back_text::Syntax::function_head).
    fn function_head(w: &Writer<'_, Self>, function: &Written, out: &mut String);

    /// [`Syntax::type_name`](planish_back_text::Syntax::type_name).
    fn type_name(w: &Writer<'_, Self>, ty: Type) -> String;

    /// [`Syntax::declaration_head`](planish_back_text::Syntax::declaration_head).
    fn declaration_head(w: &Writer<'_, Self>, decl: &Decl, out: &mut String);

    /// [`Syntax::declaration_name`](planish_back_text::Syntax::declaration_name).
    fn declaration_name(w: &Writer<'_, Self>, decl: &Decl, out: &mut String);

    /// [`Syntax::constant`](planish_back_text::Syntax::constant).
    fn constant(w: &Writer<'_, Self>, c: Const, constructor: Option<Type>, out: &mut String);

    /// As [`Syntax::number`](planish_back_text::Syntax::number); false for the default.
    fn number(_: &Writer<'_, Self>, _: ExprKind, _: &mut String) -> bool {
        false
    }

    /// [`Syntax::constructor`](planish_back_text::Syntax::constructor).
    fn constructor(w: &Writer<'_, Self>, ty: Type, out: &mut String) -> &'static str {
        out.push_str(&Self::type_name(w, ty));
        out.push('(');
        ")"
    }

    /// [`Syntax::splat`](planish_back_text::Syntax::splat).
    fn splat(w: &Writer<'_, Self>, ty: Type, out: &mut String) -> (Place, &'static str) {
        (Place::Whole, Self::constructor(w, ty, out))
    }

    /// [`Syntax::index`](planish_back_text::Syntax::index).
    fn index(_: &Writer<'_, Self>, _: Expr) -> (&'static str, Place, &'static str) {
        ("[", Place::Whole, "]")
    }

    /// [`Syntax::components`](planish_back_text::Syntax::components).
    fn components(_: &Writer<'_, Self>, lanes: Lanes, out: &mut String) {
        out.push('.');
        out.extend(lanes.iter().map(|l| ['x', 'y', 'z', 'w'][l as usize]));
    }

    /// [`Syntax::results_head`](planish_back_text::Syntax::results_head).
    fn results_head(w: &Writer<'_, Self>, func: Func, out: &mut String);

    /// [`Syntax::results`](planish_back_text::Syntax::results).
    fn results(w: &Writer<'_, Self>, func: Func, out: &mut String) -> &'static str;

    /// [`Syntax::needs_parentheses`](planish_back_text::Syntax::needs_parentheses); `None`: by precedence.
    fn needs_parentheses(_: &Writer<'_, Self>, _: Place, _: Expr) -> Option<bool> {
        None
    }
}
