//! Qualifiers of a declaration, gathered and checked against each other.

use planish_ir::decoration::{Decoration, Decorations, Interpolation, Precision, Sampling};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::function::Direction;
use planish_ir::source::Span;

use super::Checker;
use super::layouts::{Key, Layout};
use super::precision;
use crate::ast::*;
use crate::device::PER_PRIMITIVE_INPUT_OR_OUTPUT;

/// Storage of a variable, as written in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Storage {
    Attribute,
    Varying,
    In,
    Out,
    InOut,
    Uniform,
    Buffer,
    Shared,
    Passed(Passed),
}

impl Storage {
    pub(super) fn keyword(self) -> &'static str {
        match self {
            Storage::Passed(passed) => passed.keyword(),
            Storage::Attribute => "attribute",
            Storage::Varying => "varying",
            Storage::In => "in",
            Storage::Out => "out",
            Storage::InOut => "inout",
            Storage::Uniform => "uniform",
            Storage::Buffer => "buffer",
            Storage::Shared => "shared",
        }
    }
}

/// The qualifiers of one declaration.
#[derive(Clone, Default, Debug)]
pub(super) struct Qualifiers {
    pub(super) storage: Option<(Storage, Span)>,
    pub(super) is_const: Option<Span>,
    pub(super) interpolation: Option<(Interpolation, Span)>,
    pub(super) sampling: Option<(Sampling, Span)>,
    pub(super) patch: Option<Span>,
    pub(super) per_primitive: Option<Span>,
    pub(super) precision: Option<(Precision, Span)>,
    pub(super) invariant: Option<Span>,
    pub(super) precise: Option<Span>,
    /// `coherent`, `volatile`, `restrict`, `readonly`, `writeonly`.
    pub(super) memory: Vec<(Decoration, Span)>,
    pub(super) layout: Layout,
    /// All of them.
    pub(super) span: Span,
}

impl Qualifiers {
    /// Passing mode of a parameter.
    pub(super) fn direction(&self) -> Direction {
        match self.storage {
            Some((Storage::Out, _)) => Direction::Out,
            Some((Storage::InOut, _)) => Direction::InOut,
            _ => Direction::In,
        }
    }

    pub(super) fn storage_kind(&self) -> Option<Storage> {
        self.storage.map(|(s, _)| s)
    }

    /// The decorations that do not come from the layout.
    pub(super) fn decorations(&self) -> Decorations {
        let mut set = Decorations::new();
        if let Some((i, _)) = self.interpolation {
            set.add(Decoration::Interpolation(i));
        }
        if let Some((s, _)) = self.sampling {
            set.add(Decoration::Sampling(s));
        }
        if self.patch.is_some() {
            set.add(Decoration::Patch);
        }
        if self.per_primitive.is_some() {
            set.add(PER_PRIMITIVE_INPUT_OR_OUTPUT);
        }
        if self.invariant.is_some() {
            set.add(Decoration::Invariant);
        }
        if self.precise.is_some() {
            set.add(Decoration::Precise);
        }
        for (m, _) in &self.memory {
            set.add(*m);
        }
        set
    }
}

impl Checker<'_, '_> {
    /// Gathers qualifiers; reports duplicates and contradictions.
    pub(super) fn qualifiers(&mut self, list: List<Qualifier>) -> Qualifiers {
        let mut q = Qualifiers::default();
        if list.is_empty() {
            return q;
        }
        let ast = self.ast;
        for qualifier in &ast[list] {
            let span = qualifier.span;
            q.span = q.span.to(span);
            match qualifier.kind {
                QualifierKind::Const => self.once(&mut q.is_const, span, "const"),
                QualifierKind::Attribute => self.storage(&mut q, Storage::Attribute, span),
                QualifierKind::Varying => self.storage(&mut q, Storage::Varying, span),
                QualifierKind::In => self.storage(&mut q, Storage::In, span),
                QualifierKind::Out => self.storage(&mut q, Storage::Out, span),
                QualifierKind::InOut => self.storage(&mut q, Storage::InOut, span),
                QualifierKind::Uniform => self.storage(&mut q, Storage::Uniform, span),
                QualifierKind::Buffer => self.storage(&mut q, Storage::Buffer, span),
                QualifierKind::Shared => self.storage(&mut q, Storage::Shared, span),
                QualifierKind::Passed(passed) => self.storage(&mut q, Storage::Passed(passed), span),
                QualifierKind::PerPrimitive => self.once(&mut q.per_primitive, span, "perprimitiveEXT"),
                QualifierKind::Centroid => self.sampling(&mut q, Sampling::Centroid, span),
                QualifierKind::Sample => self.sampling(&mut q, Sampling::Sample, span),
                QualifierKind::Patch => self.once(&mut q.patch, span, "patch"),
                QualifierKind::Flat => self.interpolation(&mut q, Interpolation::Flat, span),
                QualifierKind::Smooth => self.interpolation(&mut q, Interpolation::Smooth, span),
                QualifierKind::NoPerspective => self.interpolation(&mut q, Interpolation::NoPerspective, span),
                QualifierKind::PerVertex => self.interpolation(&mut q, Interpolation::PerVertex, span),
                QualifierKind::Precision(p) => {
                    if let Some((_, earlier)) = q.precision {
                        self.twice(span, earlier, "precision");
                    }
                    q.precision = Some((precision::of_ast(p), span));
                }
                QualifierKind::Invariant => self.once(&mut q.invariant, span, "invariant"),
                QualifierKind::Precise => self.once(&mut q.precise, span, "precise"),
                QualifierKind::Coherent => q.memory.push((Decoration::Coherent, span)),
                QualifierKind::Volatile => q.memory.push((Decoration::Volatile, span)),
                QualifierKind::Restrict => q.memory.push((Decoration::Restrict, span)),
                QualifierKind::ReadOnly => q.memory.push((Decoration::ReadOnly, span)),
                QualifierKind::WriteOnly => q.memory.push((Decoration::WriteOnly, span)),
                QualifierKind::NonUniform => q.memory.push((Decoration::NonUniform, span)),
                // All memory is so in the memory model of GLSL 4.50.
                QualifierKind::Subroutine | QualifierKind::NonPrivate => {}
                QualifierKind::Layout(items) => self.layout_items(&mut q.layout, items),
            }
        }
        self.check_order(&ast[list]);
        q
    }

    /// Reports qualifiers that are not in the order of the language: in GLSL ES 1.00 and 3.00 (sections 4.7 and 4.9 of
    /// their specifications) and in desktop versions before 4.20. Later versions take any order.
    fn check_order(&mut self, qualifiers: &[Qualifier]) {
        if self.version.at_least(310, 420) || self.has_extension("GL_ARB_shading_language_420pack") {
            return;
        }
        for pair in qualifiers.windows(2) {
            let [before, after] = [&pair[0], &pair[1]];
            let (Some(a), Some(b)) = (rank(before.kind), rank(after.kind)) else { continue };
            // Desktop compilers take layouts and precisions anywhere.
            let loose = |q: &Qualifier| matches!(q.kind, QualifierKind::Layout(_) | QualifierKind::Precision(_));
            if a <= b || !self.is_es() && (loose(before) || loose(after)) {
                continue;
            }
            let [first, second] = [place_of(b), place_of(a)];
            let version = self.version;
            self.error(
                Diagnostic::error(Code::E0401, after.span, format!("qualifiers in the wrong order for {version}"))
                    .label(format!("the {first} comes before the {second}"))
                    .also(before.span, format!("the {second}"))
                    .help("write `invariant`, interpolation, layout, storage, precision in this order"),
            );
            return;
        }
    }

    fn once(&mut self, slot: &mut Option<Span>, span: Span, word: &str) {
        if let Some(earlier) = slot.replace(span) {
            self.twice(span, earlier, word);
        }
    }

    #[cold]
    fn twice(&mut self, span: Span, earlier: Span, word: &str) {
        self.error(
            Diagnostic::error(Code::E0402, span, format!("a second `{word}` qualifier")).also(earlier, "the first one"),
        );
    }

    fn storage(&mut self, q: &mut Qualifiers, storage: Storage, span: Span) {
        match q.storage {
            // `in out` is equivalent to `inout`.
            Some((Storage::In, first)) if storage == Storage::Out => q.storage = Some((Storage::InOut, first.to(span))),
            Some((earlier, first)) => {
                let (a, b) = (earlier.keyword(), storage.keyword());
                self.error(
                    Diagnostic::error(Code::E0402, span, format!("`{a}` and `{b}` contradict each other"))
                        .also(first, format!("`{a}` is here")),
                );
            }
            None => q.storage = Some((storage, span)),
        }
    }

    fn interpolation(&mut self, q: &mut Qualifiers, interpolation: Interpolation, span: Span) {
        if let Some((_, earlier)) = q.interpolation.replace((interpolation, span)) {
            self.twice(span, earlier, "interpolation");
        }
    }

    fn sampling(&mut self, q: &mut Qualifiers, sampling: Sampling, span: Span) {
        if let Some((_, earlier)) = q.sampling.replace((sampling, span)) {
            self.twice(span, earlier, "sampling");
        }
    }

    /// Reports storage, interpolation and layout qualifiers that are not `allowed` for `what`.
    pub(super) fn expect_only(&mut self, q: &Qualifiers, what: &str, allowed: &[Storage]) {
        if let Some((storage, span)) = q.storage
            && !allowed.contains(&storage)
        {
            let word = storage.keyword();
            self.fail(Code::E0401, span, format!("{what} cannot be `{word}`"));
        }
        let interpolation =
            q.interpolation.map(|(_, span)| span).or(q.sampling.map(|(_, span)| span)).or(q.patch).or(q.per_primitive);
        if let Some(span) = interpolation {
            self.fail(Code::E0401, span, format!("{what} is not interpolated"));
        }
        if let Some(item) = q.layout.items.first() {
            let span = item.2;
            self.fail(Code::E0404, span, format!("{what} has no layout"));
        }
    }

    pub(super) fn check_not_interpolated(&mut self, q: &Qualifiers, what: &str) {
        if let Some((_, span)) = q.interpolation {
            self.fail(Code::E0401, span, format!("{what} is not interpolated"));
        }
        if let Some(span) = q.per_primitive {
            self.fail(Code::E0401, span, format!("{what} is not of a primitive"));
        }
        if let Some(span) = q.is_const {
            self.fail(Code::E0402, span, format!("{what} cannot be `const`"));
        }
        if let Some(span) = q.invariant {
            self.fail(Code::E0401, span, format!("{what} cannot be `invariant`"));
        }
    }

    /// Qualifiers of a variable that is not part of an interface.
    pub(super) fn check_plain_qualifiers(&mut self, q: &Qualifiers, what: &str) {
        if let Some((_, span)) = q.interpolation {
            self.fail(Code::E0401, span, format!("{what} that is no input or output is not interpolated"));
        }
        if let Some(span) = q.per_primitive {
            self.fail(Code::E0401, span, format!("{what} that is no input or output is not of a primitive"));
        }
        if let Some(span) = q.invariant {
            self.fail(Code::E0401, span, "only outputs (and in GLSL ES 1.00 varyings) can be `invariant`");
        }
        if q.is_const.is_none()
            && let Some(&(_, _, span)) = q.layout.items.first()
        {
            self.fail(Code::E0404, span, format!("{what} that is no input, output or uniform has no layout"));
        }
    }

    /// Reports qualifiers that a parameter cannot have.
    pub(super) fn check_parameter_qualifiers(&mut self, q: &Qualifiers) {
        if let Some((storage, span)) = q.storage {
            let word = storage.keyword();
            match storage {
                Storage::In | Storage::Out | Storage::InOut => {
                    if let Some(at) = q.is_const
                        && storage != Storage::In
                    {
                        self.fail(Code::E0402, at, format!("`const` and `{word}` contradict each other"));
                    }
                }
                _ => {
                    self.fail(Code::E0401, span, format!("a parameter cannot be `{word}`"));
                }
            }
        }
        if let Some(span) = q.interpolation.map(|(_, span)| span).or(q.per_primitive) {
            self.fail(Code::E0401, span, "a parameter is not interpolated");
        }
        if let Some(span) = q.invariant {
            self.fail(Code::E0401, span, "a parameter cannot be `invariant`");
        }
        let is_format = |key: &Key| matches!(key, Key::Format(_));
        if let Some((_, _, span)) = q.layout.items.iter().find(|(key, ..)| !is_format(key)) {
            self.fail(Code::E0404, *span, "a parameter has no layout");
        }
    }
}

/// Place of a qualifier in the order of old versions; `None` if it has none.
fn rank(kind: QualifierKind) -> Option<u8> {
    Some(match kind {
        QualifierKind::Invariant => 0,
        QualifierKind::Flat | QualifierKind::Smooth | QualifierKind::NoPerspective | QualifierKind::PerVertex => 1,
        QualifierKind::Layout(_) => 2,
        QualifierKind::Centroid | QualifierKind::Sample | QualifierKind::Patch | QualifierKind::PerPrimitive => 3,
        // Of parameters, `const` comes before `in`.
        QualifierKind::Const => 4,
        QualifierKind::Attribute
        | QualifierKind::Varying
        | QualifierKind::In
        | QualifierKind::Out
        | QualifierKind::InOut
        | QualifierKind::Uniform
        | QualifierKind::Buffer
        | QualifierKind::Shared
        | QualifierKind::Passed(_) => 5,
        QualifierKind::Precision(_) => 6,
        _ => return None,
    })
}

/// The word of the specification for a rank.
fn place_of(rank: u8) -> &'static str {
    match rank {
        0 => "`invariant`",
        1 => "interpolation qualifier",
        2 => "layout",
        3 => "auxiliary qualifier (`centroid`)",
        4 => "`const`",
        5 => "storage qualifier",
        _ => "precision",
    }
}
