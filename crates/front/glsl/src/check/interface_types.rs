//! Types that cross between stages.

use planish_ir::decoration::Interpolation;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::module::Stage;
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};

use super::qualifiers::{Qualifiers, Storage};
use super::{Checked, Checker};

/// The numbers that a type without parts of other types is made of.
fn scalar_of(kind: &TypeKind) -> Option<Scalar> {
    match *kind {
        TypeKind::Scalar(s) | TypeKind::Vector(s, _) => Some(s),
        TypeKind::Matrix { scalar, .. } => Some(scalar),
        _ => None,
    }
}

impl Checker<'_, '_> {
    /// Reports types that cannot cross between stages.
    pub(super) fn check_interface_type(&mut self, ty: Type, q: &Qualifiers, is_input: bool, span: Span) -> Checked<()> {
        let stage = self.stage();
        let name = self.type_name(ty);
        let (element, is_array) = self.element_type(ty);
        let types = &self.b.module.types;
        let holds_bool = types
            .contains(ty, &mut |k| matches!(k, TypeKind::Scalar(Scalar::Bool) | TypeKind::Vector(Scalar::Bool, _)));
        let is_struct = matches!(types[element], TypeKind::Struct(_));
        let is_matrix = matches!(types[element], TypeKind::Matrix { .. });
        let is_wide = types.contains(ty, &mut |k| scalar_of(k).is_some_and(|s| s.bits() == 64));
        let what = if is_input { "an input" } else { "an output" };
        let vertex_input = stage == Stage::Vertex && is_input;
        let fragment_output = stage == Stage::Fragment && !is_input;
        if types.is_opaque(ty) {
            return Err(self.fail(Code::E0405, span, format!("{what} cannot be `{name}`")));
        }
        if holds_bool
            || (vertex_input && (is_struct || (is_array && !self.version.at_least(0, 150))))
            || (fragment_output && (is_struct || is_matrix || is_wide))
            || (!self.version.at_least(300, 150) && is_struct)
        {
            return Err(self.fail(Code::E0407, span, format!("{what} of this stage cannot be `{name}`")));
        }
        // (GLSL 4.10.6, section 4.3.4.)
        if vertex_input && is_wide && !self.version.at_least(0, 410) {
            let version = self.version;
            return Err(self.error(
                Diagnostic::error(Code::E0407, span, format!("an input of this stage cannot be `{name}` in {version}"))
                    .note("attributes of 64 bits need GLSL 4.10"),
            ));
        }
        self.check_varying_type(ty, q, is_input, span)?;
        let types = &self.b.module.types;
        let integer = types.contains(ty, &mut |k| scalar_of(k).is_some_and(|s| s.is_integer() || s == Scalar::F64));
        let flat = matches!(q.interpolation, Some((Interpolation::Flat | Interpolation::PerVertex, _)));
        if let Some((Interpolation::PerVertex, at)) = q.interpolation
            && !(stage == Stage::Fragment && is_input && is_array)
        {
            let message = "`pervertexEXT` is for arrays that are inputs of fragment shaders";
            return Err(self.error(
                Diagnostic::error(Code::E0401, at, message)
                    .help("write `pervertexEXT in vec4 name[3];` in a fragment shader"),
            ));
        }
        let needs_flat =
            (stage == Stage::Fragment && is_input) || (stage == Stage::Vertex && !is_input && self.is_es());
        if integer && needs_flat && !flat {
            return Err(self.error(
                Diagnostic::error(Code::E0407, span, format!("{what} of type `{name}` must be `flat`"))
                    .note("integers are not interpolated")
                    .help("write `flat` before the declaration"),
            ));
        }
        if let Some((_, at)) = q.interpolation
            && (vertex_input || fragment_output)
        {
            self.fail(Code::E0401, at, format!("{what} of this stage is not interpolated"));
        }
        Ok(())
    }

    /// Types that only some versions pass between stages: attributes and varyings of old versions hold floats (GLSL ES
    /// 1.00.17, sections 4.3.3 and 4.3.5; GLSL 1.20.8, sections 4.3.4 and 4.3.6); structs with arrays or structs, and
    /// arrays of structs or arrays, do not leave the vertex shader in ES (GLSL ES 3.00.6, sections 4.3.4 and 4.3.6).
    fn check_varying_type(&mut self, ty: Type, q: &Qualifiers, is_input: bool, span: Span) -> Checked<()> {
        let types = &self.b.module.types;
        let old = matches!(q.storage_kind(), Some(Storage::Attribute | Storage::Varying));
        let integer = |k: &TypeKind| matches!(k, TypeKind::Scalar(s) | TypeKind::Vector(s, _) if s.is_integer());
        let extended = self.has_extension("GL_EXT_gpu_shader4");
        if old && !self.version.has_unsigned() && !extended && types.contains(ty, &mut |k| integer(k)) {
            let (name, word) = (self.type_name(ty), q.storage_kind().map_or("", Storage::keyword));
            return Err(self.error(
                Diagnostic::error(Code::E0407, span, format!("`{name}` cannot be `{word}`"))
                    .note(format!("{} passes only floats, their vectors and matrices", self.version)),
            ));
        }
        let varying = matches!((self.stage(), is_input), (Stage::Vertex, false) | (Stage::Fragment, true));
        if !self.is_es() || !varying {
            return Ok(());
        }
        let aggregate =
            |ty: Type| types.contains(ty, &mut |k| matches!(k, TypeKind::Struct(_) | TypeKind::Array { .. }));
        let nested = match &types[ty] {
            TypeKind::Array { element, .. } => aggregate(*element),
            TypeKind::Struct(s) if !s.is_block => s.members.iter().any(|m| aggregate(m.ty)),
            _ => false,
        };
        if nested {
            let (name, version) = (self.type_name(ty), self.version);
            return Err(self.error(
                Diagnostic::error(Code::E0407, span, format!("`{name}` cannot cross between stages in {version}"))
                    .note("neither an array of arrays or structs, nor a struct that holds arrays or structs"),
            ));
        }
        Ok(())
    }
}
