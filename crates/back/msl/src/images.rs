//! Types of textures and samplers.

use planish_back_shading::images::Access;
use planish_back_shading::memory::{Res, fail};
use planish_interface::describe;
use planish_ir::diagnostic::Code;
use planish_ir::source::Span;
use planish_ir::types::{Dim, ImageKind, ImageType, Scalar, TypeKind};

use crate::version::Version;

/// The type of a sampler.
pub(crate) const SAMPLER: &str = "sampler";

/// The type of a texture.
pub(crate) fn text(version: Version, image: ImageType, depth: bool, access: Access, span: Span) -> Res<String> {
    let lacks = |what: &str| {
        let kind = describe(&TypeKind::Image(image));
        fail(Code::E0602, span, format!("{version} has no {kind}{what}"))
    };
    let is_storage = matches!(image.kind, ImageKind::Storage(_));
    let dim = match image.dim {
        Dim::D1 => "1d",
        Dim::D2 | Dim::Rect | Dim::External => "2d",
        Dim::D3 => "3d",
        // A storage cube is an array of faces, as its third coordinate counts layers and faces.
        Dim::Cube if is_storage => "2d",
        Dim::Cube => "cube",
        Dim::Buffer if version < Version::V2_1 => return lacks(": `texture_buffer` is of MSL 2.1"),
        Dim::Buffer => "_buffer",
        Dim::Subpass | Dim::ExternalYuv => return lacks(""),
    };
    if image.arrayed && matches!(image.dim, Dim::D3 | Dim::Buffer) {
        return lacks(" in arrays");
    }
    if depth && matches!(image.dim, Dim::D1 | Dim::D3 | Dim::Buffer) {
        return lacks(" that holds depths");
    }
    if image.multisampled && (image.dim != Dim::D2 || is_storage) {
        return lacks(" with several samples");
    }
    let component = match image.sampled {
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        _ => "float",
    };
    let access = match access {
        _ if !is_storage => "",
        Access::Read => ", access::read",
        Access::Write => ", access::write",
        Access::ReadWrite => ", access::read_write",
    };
    let samples = if image.multisampled { "_ms" } else { "" };
    let layers = if image.arrayed || is_storage && image.dim == Dim::Cube { "_array" } else { "" };
    let kind = if depth { "depth" } else { "texture" };
    Ok(format!("{kind}{dim}{samples}{layers}<{component}{access}>"))
}
