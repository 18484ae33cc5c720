//! Precision: the defaults of each scope, and the precision of declarations.

use planish_ir::decoration::Precision;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::module::Stage;
use planish_ir::source::Span;
use planish_ir::types::{Dim, ImageKind, Scalar, TypeKind};

use super::{Checker, qualifiers};
use crate::ast::{self, Member, QualifierKind, TypeId};
use crate::version::Version;

#[derive(Clone, Default)]
struct Defaults {
    float: Option<Precision>,
    int: Option<Precision>,
    /// Of samplers and images, by type; later ones win.
    opaque: Vec<(Type, Precision)>,
}

/// The default precisions of all enclosing scopes.
#[derive(Clone)]
pub(super) struct DefaultPrecisions {
    now: Defaults,
    depth: u32,
    /// Saved defaults of outer scopes, each with the depth of the scope that changed them.
    outer: Vec<(u32, Defaults)>,
}

impl DefaultPrecisions {
    /// The language's initial defaults.
    pub(super) fn new(version: Version, stage: Stage) -> Self {
        let mut now = Defaults::default();
        if version.is_es() {
            let fragment = stage == Stage::Fragment;
            now.float = (!fragment).then_some(Precision::High);
            now.int = Some(if fragment { Precision::Medium } else { Precision::High });
        }
        DefaultPrecisions { now, depth: 0, outer: vec![] }
    }

    /// `highp` for all there is.
    pub(super) fn everything_high(&mut self) {
        self.now.float = Some(Precision::High);
        self.now.int = Some(Precision::High);
    }

    pub(super) fn push(&mut self) {
        self.depth += 1;
    }

    pub(super) fn pop(&mut self) {
        if self.outer.last().is_some_and(|(depth, _)| *depth == self.depth)
            && let Some((_, outer)) = self.outer.pop()
        {
            self.now = outer;
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn change(&mut self) -> &mut Defaults {
        if self.depth > 0 && self.outer.last().is_none_or(|(depth, _)| *depth < self.depth) {
            self.outer.push((self.depth, self.now.clone()));
        }
        &mut self.now
    }
}

/// The IR's word for a precision.
pub(super) fn of_ast(precision: ast::Precision) -> Precision {
    match precision {
        ast::Precision::Low => Precision::Low,
        ast::Precision::Medium => Precision::Medium,
        ast::Precision::High => Precision::High,
    }
}

/// The class of types that share a default precision.
enum Class {
    None,
    Float,
    Int,
    Opaque(Type),
}

impl Checker<'_, '_> {
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn precision_class(&self, ty: Type) -> Class {
        match self.kind(ty) {
            TypeKind::Scalar(Scalar::F32) | TypeKind::Vector(Scalar::F32, _) => Class::Float,
            TypeKind::Matrix { scalar, .. } if *scalar != Scalar::F16 => Class::Float,
            TypeKind::Scalar(Scalar::I32 | Scalar::U32) | TypeKind::Vector(Scalar::I32 | Scalar::U32, _) => Class::Int,
            TypeKind::Image(_) | TypeKind::AtomicCounter => Class::Opaque(ty),
            TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } => self.precision_class(*element),
            _ => Class::None,
        }
    }

    /// The precision of a declaration without one; `None` if there is no default.
    fn default_of(&self, class: &Class) -> Option<Precision> {
        match *class {
            Class::None => Some(Precision::None),
            Class::Float => self.precisions.now.float,
            Class::Int => self.precisions.now.int,
            Class::Opaque(ty) => {
                let written = self.precisions.now.opaque.iter().rev().find(|(t, _)| *t == ty).map(|(_, p)| *p);
                written.or_else(|| self.predeclared(ty))
            }
        }
    }

    /// Samplers with a predeclared precision.
    fn predeclared(&self, ty: Type) -> Option<Precision> {
        let TypeKind::Image(image) = self.kind(ty) else { return Some(Precision::High) };
        let plain = image.kind == ImageKind::Combined
            && image.sampled == Scalar::F32
            && !image.arrayed
            && !image.shadow
            && !image.multisampled;
        let low = plain && matches!(image.dim, Dim::D2 | Dim::Cube | Dim::External);
        // Other samplers of GLSL ES 1.00 come from extensions, which define `lowp`.
        (low || self.version.is_es_100()).then_some(Precision::Low)
    }

    /// The precision of a declaration of type `ty`, written as `written`; reports a missing one.
    pub(super) fn precision_for(&mut self, ty: Type, written: Precision, span: Span) -> Precision {
        let class = self.precision_class(ty);
        if matches!(class, Class::None) {
            let is_small = self.b.module.types.scalar_of(ty).is_some_and(|scalar| scalar.widened() != scalar);
            if written != Precision::None && (self.is_es() || is_small) {
                let name = self.type_name(ty);
                self.error(
                    Diagnostic::error(Code::E0401, span, format!("`{name}` has no precision"))
                        .note("only numbers, their vectors and matrices, samplers and images have one")
                        .help("leave out the precision"),
                );
            }
            return Precision::None;
        }
        if written != Precision::None || !self.is_es() {
            return written;
        }
        match self.default_of(&class) {
            Some(precision) => precision,
            None => {
                self.missing_precision(ty, &class, span);
                Precision::Medium
            }
        }
    }

    #[cold]
    fn missing_precision(&mut self, ty: Type, class: &Class, span: Span) {
        let name = match class {
            Class::Float => "float".to_owned(),
            Class::Int => "int".to_owned(),
            Class::Opaque(ty) => self.type_name(*ty),
            Class::None => self.type_name(ty),
        };
        self.error(
            Diagnostic::error(Code::E0403, span, format!("`{name}` has no precision here"))
                .note(format!("this stage has no default precision for `{name}`"))
                .help(format!("write `precision mediump {name};` before the first declaration")),
        );
        // Once is enough.
        match *class {
            Class::Float => self.precisions.now.float = Some(Precision::Medium),
            Class::Int => self.precisions.now.int = Some(Precision::Medium),
            Class::Opaque(ty) => self.precisions.now.opaque.push((ty, Precision::Medium)),
            Class::None => {}
        }
    }

    /// The default precision of a type, or none.
    pub(super) fn default_precision(&self, ty: Type) -> Precision {
        if !self.is_es() {
            return Precision::None;
        }
        self.default_of(&self.precision_class(ty)).unwrap_or_default()
    }

    /// The precision among the qualifiers of a member.
    pub(super) fn member_precision(&self, member: &Member) -> Precision {
        let qualifiers = &self.ast[member.qualifiers];
        let found = qualifiers.iter().find_map(|q| match q.kind {
            QualifierKind::Precision(p) => Some(of_ast(p)),
            _ => None,
        });
        found.unwrap_or_default()
    }

    /// `precision highp float;`
    pub(super) fn precision_statement(&mut self, precision: ast::Precision, ty: TypeId, span: Span) {
        let Ok(ty) = self.type_spec(ty) else { return };
        let precision = of_ast(precision);
        match (self.kind(ty), ty) {
            (_, Type::F32) => self.precisions.change().float = Some(precision),
            (_, Type::I32) => self.precisions.change().int = Some(precision),
            (TypeKind::Image(_) | TypeKind::AtomicCounter, ty) => self.precisions.change().opaque.push((ty, precision)),
            _ => {
                let name = self.type_name(ty);
                self.error(
                    Diagnostic::error(Code::E0403, span, format!("there is no default precision for `{name}`"))
                        .note("defaults are set for `float` (and its vectors and matrices), `int` (also for `uint`), and samplers"),
                );
            }
        }
    }

    /// The precision of the function's result.
    pub(super) fn result_precision(&self) -> Precision {
        let function = self.frame.function.map(|f| &self.functions[f as usize]);
        function.map_or(Precision::None, |f| f.result_precision)
    }

    /// The precision among qualifiers.
    pub(super) fn written_precision(&self, q: &qualifiers::Qualifiers) -> Precision {
        q.precision.map_or(Precision::None, |(p, _)| p)
    }
}
