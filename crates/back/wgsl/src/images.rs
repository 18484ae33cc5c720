//! Types of textures and samplers.

use planish_interface::describe;
use planish_ir::diagnostic::Code;
use planish_ir::source::Span;
use planish_ir::types::{Dim, ImageFormat, ImageKind, ImageType, Scalar, TypeKind};

use planish_back_shading::images::Access;
use planish_back_shading::memory::{Res, fail};

/// The type of a sampler.
pub(crate) fn sampler(comparison: bool) -> &'static str {
    if comparison { "sampler_comparison" } else { "sampler" }
}

/// The type of a texture.
pub(crate) fn text(image: ImageType, depth: bool, access: Access, span: Span) -> Res<String> {
    let dim = match image.dim {
        Dim::D1 => "1d",
        Dim::D2 | Dim::Rect | Dim::External => "2d",
        Dim::D3 => "3d",
        Dim::Cube => "cube",
        Dim::Buffer | Dim::Subpass | Dim::ExternalYuv => {
            let what = describe(&TypeKind::Image(image));
            return fail(Code::E0602, span, format!("WGSL has no {what}"));
        }
    };
    let layers = if image.arrayed { "_array" } else { "" };
    if (image.arrayed || depth) && matches!(image.dim, Dim::D1 | Dim::D3) {
        let what = describe(&TypeKind::Image(image));
        return fail(Code::E0604, span, format!("WGSL has no {what}{}", if depth { " that holds depths" } else { "" }));
    }
    if image.multisampled && (image.arrayed || image.dim != Dim::D2) {
        let what = describe(&TypeKind::Image(image));
        return fail(Code::E0604, span, format!("WGSL has no {what} with several samples"));
    }
    let component = match image.sampled {
        Scalar::I32 => "i32",
        Scalar::U32 => "u32",
        _ => "f32",
    };
    Ok(match image.kind {
        ImageKind::Storage(format) => {
            let access = match access {
                Access::Read => "read",
                Access::Write => "write",
                Access::ReadWrite => "read_write",
            };
            // A storage cube is an array of faces.
            let dim = if image.dim == Dim::Cube { "2d_array" } else { dim };
            let layers = if image.dim == Dim::Cube { "" } else { layers };
            format!("texture_storage_{dim}{layers}<{}, {access}>", format_name(format, span)?)
        }
        _ if depth && image.multisampled => "texture_depth_multisampled_2d".into(),
        _ if depth => format!("texture_depth_{dim}{layers}"),
        _ if image.multisampled => format!("texture_multisampled_{dim}<{component}>"),
        _ => format!("texture_{dim}{layers}<{component}>"),
    })
}

fn format_name(format: ImageFormat, span: Span) -> Res<&'static str> {
    use ImageFormat as F;
    Ok(match format {
        F::Unknown => return fail(Code::E0602, span, "WGSL needs a format for a storage image, such as `rgba8`"),
        F::Rgba32f => "rgba32float",
        F::Rgba16f => "rgba16float",
        F::Rg32f => "rg32float",
        F::Rg16f => "rg16float",
        F::R11fG11fB10f => "rg11b10ufloat",
        F::R32f => "r32float",
        F::R16f => "r16float",
        F::Rgba16 => "rgba16unorm",
        F::Rgb10A2 => "rgb10a2unorm",
        F::Rgba8 => "rgba8unorm",
        F::Rg16 => "rg16unorm",
        F::Rg8 => "rg8unorm",
        F::R16 => "r16unorm",
        F::R8 => "r8unorm",
        F::Rgba16Snorm => "rgba16snorm",
        F::Rgba8Snorm => "rgba8snorm",
        F::Rg16Snorm => "rg16snorm",
        F::Rg8Snorm => "rg8snorm",
        F::R16Snorm => "r16snorm",
        F::R8Snorm => "r8snorm",
        F::Rgba32i => "rgba32sint",
        F::Rgba16i => "rgba16sint",
        F::Rgba8i => "rgba8sint",
        F::Rg32i => "rg32sint",
        F::Rg16i => "rg16sint",
        F::Rg8i => "rg8sint",
        F::R32i => "r32sint",
        F::R16i => "r16sint",
        F::R8i => "r8sint",
        F::Rgba32ui => "rgba32uint",
        F::Rgba16ui => "rgba16uint",
        F::Rgb10A2ui => "rgb10a2uint",
        F::Rgba8ui => "rgba8uint",
        F::Rg32ui => "rg32uint",
        F::Rg16ui => "rg16uint",
        F::Rg8ui => "rg8uint",
        F::R32ui => "r32uint",
        F::R16ui => "r16uint",
        F::R8ui => "r8uint",
    })
}
