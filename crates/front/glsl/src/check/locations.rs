//! Locations and components of inputs and outputs (GLSL 4.60.8 and GLSL ES 3.20.8, section 4.4).

use std::ops::Range;

use planish_ir::decoration::{Decoration, Decorations};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::module::Stage;
use planish_ir::source::Span;
use planish_ir::types::{StructType, TypeKind};

use super::layouts::{Key, Layout};
use super::{Checked, Checker};

/// Locations in use.
pub(super) struct Locations {
    is_input: bool,
    index: u32,
    locations: Range<u32>,
    /// In each of them.
    components: Range<u32>,
    span: Span,
}

impl Checker<'_, '_> {
    /// Reports an input or output whose location is in use, or whose components are not in one.
    pub(super) fn take_location(
        &mut self,
        ty: Type,
        layout: &Layout,
        decorations: &Decorations,
        is_input: bool,
        span: Span,
    ) {
        if self.check_component(ty, layout, decorations.location().is_some(), is_input).is_err() {
            return;
        }
        // Desktop versions allow vertex inputs to share a location, if a draw uses one of them.
        if is_input && self.stage() == Stage::Vertex && !self.is_es() {
            return;
        }
        if let Some(location) = decorations.location() {
            self.take(ty, decorations, location, is_input, span);
        }
    }

    /// The same for the members of a block, whose first location may be that of the block.
    pub(super) fn take_locations(&mut self, block: &StructType, decorations: &Decorations, is_input: bool, span: Span) {
        let mut next = decorations.location();
        for member in &block.members {
            let Some(location) = member.decorations.location().or(next) else { continue };
            self.take(member.ty, &member.decorations, location, is_input, span);
            next = Some(location.saturating_add(self.location_count(member.ty, is_input)));
        }
    }

    fn take(&mut self, ty: Type, decorations: &Decorations, location: u32, is_input: bool, span: Span) {
        let index = decorations.find(|d| if let Decoration::Index(n) = d { Some(n) } else { None }).unwrap_or(0);
        let first = decorations.find(|d| if let Decoration::Component(n) = d { Some(n) } else { None }).unwrap_or(0);
        let components = match self.slots(ty) {
            Some(count) if count <= 4 => first..first + count,
            _ => 0..4,
        };
        let locations = location..location.saturating_add(self.location_count(ty, is_input));
        let overlap = |a: &Range<u32>, b: &Range<u32>| a.start < b.end && b.start < a.end;
        let taken = self.program_facts.locations.iter().find(|other| {
            other.is_input == is_input
                && other.index == index
                && overlap(&other.locations, &locations)
                && overlap(&other.components, &components)
        });
        if let Some(earlier) = taken.map(|other| other.span) {
            self.error(
                Diagnostic::error(Code::E0404, span, format!("location {location} is taken"))
                    .also(earlier, "by this one"),
            );
            return;
        }
        self.program_facts.locations.push(Locations { is_input, index, locations, components, span });
    }

    /// Reports a `component` that a type does not have, or that nothing gives a location.
    pub(super) fn check_component(
        &mut self,
        ty: Type,
        layout: &Layout,
        has_location: bool,
        is_input: bool,
    ) -> Checked<()> {
        let Some((first, span)) = layout.find(Key::Component) else { return Ok(()) };
        let wrong = |message: String| Diagnostic::error(Code::E0404, span, message);
        if !has_location {
            return Err(
                self.error(wrong("`component` without `location`".into()).help("write `location = …` before it"))
            );
        }
        let (element, _) = self.element_type(ty);
        let name = self.type_name(element);
        let what = if is_input { "an input" } else { "an output" };
        let Some(count) = self.slots(element) else {
            return Err(self.error(
                wrong(format!("{what} of type `{name}` has no `component`"))
                    .note("it is for scalars, vectors, and arrays of them"),
            ));
        };
        let is_wide = self.b.module.types.scalar_of(element).is_some_and(|s| s.bits() == 64);
        if is_wide && (first % 2 == 1 || count > 4) {
            return Err(self.error(
                wrong(format!("{what} of type `{name}` cannot begin at component {first}"))
                    .note("64-bit numbers take two components each, from 0 or 2 on; vectors of three and four of them have whole locations"),
            ));
        }
        if first + count > 4 {
            return Err(self.error(
                wrong(format!("{what} of type `{name}` does not fit a location from component {first} on"))
                    .note("a location has four components"),
            ));
        }
        Ok(())
    }

    /// Components of 32 bits that a scalar, a vector, or an array of such takes; `None` for other types.
    fn slots(&self, ty: Type) -> Option<u32> {
        match *self.kind(self.element_type(ty).0) {
            TypeKind::Scalar(scalar) => Some(scalar.bits().div_ceil(32).max(1)),
            TypeKind::Vector(scalar, size) => Some(scalar.bits().div_ceil(32).max(1) * u32::from(size)),
            _ => None,
        }
    }

    /// Number of locations of a type. Vectors of three and four 64-bit numbers take two, but as vertex inputs.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn location_count(&self, ty: Type, is_input: bool) -> u32 {
        let of_vector = |bits: u32, size: u8| {
            let is_attribute = is_input && self.stage() == Stage::Vertex;
            if bits == 64 && size > 2 && !is_attribute { 2 } else { 1 }
        };
        match self.kind(ty) {
            TypeKind::Vector(scalar, size) => of_vector(scalar.bits(), *size),
            TypeKind::Matrix { scalar, columns, rows } => u32::from(*columns) * of_vector(scalar.bits(), *rows),
            TypeKind::Array { element, len } => len.saturating_mul(self.location_count(*element, is_input)),
            TypeKind::Struct(s) => {
                s.members.iter().map(|m| self.location_count(m.ty, is_input)).fold(0, u32::saturating_add)
            }
            _ => 1,
        }
    }
}
