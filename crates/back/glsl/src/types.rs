//! Types as GLSL writes them.

use planish_ir::entity::Type;
use planish_ir::module::Module;
use planish_ir::types::{Dim, ImageKind, ImageType, Scalar, TypeKind};

use crate::writer::Writer;

/// The name of an image or sampler type.
pub(crate) fn image_name(image: &ImageType) -> String {
    let prefix = match image.sampled {
        Scalar::I32 => "i",
        Scalar::U32 => "u",
        _ => "",
    };
    match image.dim {
        Dim::External => return "samplerExternalOES".into(),
        Dim::ExternalYuv => return "__samplerExternal2DY2YEXT".into(),
        Dim::Subpass => return format!("{prefix}subpassInput{}", if image.multisampled { "MS" } else { "" }),
        _ => {}
    }
    let base = match image.kind {
        ImageKind::Combined => "sampler",
        ImageKind::Texture => "texture",
        ImageKind::Storage(_) => "image",
    };
    let dim = match image.dim {
        Dim::D1 => "1D",
        Dim::D2 => "2D",
        Dim::D3 => "3D",
        Dim::Cube => "Cube",
        Dim::Rect => "2DRect",
        _ => "Buffer",
    };
    let multisampled = if image.multisampled { "MS" } else { "" };
    let arrayed = if image.arrayed { "Array" } else { "" };
    let shadow = if image.shadow && image.kind == ImageKind::Combined { "Shadow" } else { "" };
    format!("{prefix}{base}{dim}{multisampled}{arrayed}{shadow}")
}

/// As [`image_name`]; empty for other types.
pub(crate) fn image_name_of(module: &Module, ty: Type) -> String {
    module.types.as_image(ty).map(|i| image_name(&i)).unwrap_or_default()
}

impl Writer<'_> {
    /// The type without its array sizes, and those: `float`, `[2][3]`.
    pub(crate) fn type_parts(&self, mut ty: Type) -> (String, String) {
        let mut sizes = String::new();
        loop {
            match self.module.types[ty] {
                TypeKind::Array { element, len } => {
                    sizes.push_str(&format!("[{len}]"));
                    ty = element;
                }
                TypeKind::RuntimeArray { element } => {
                    sizes.push_str("[]");
                    ty = element;
                }
                TypeKind::Pointer { pointee, .. } => ty = pointee,
                _ => return (self.base_name(ty), sizes),
            }
        }
    }

    /// The whole type, as a constructor writes it.
    pub(crate) fn type_name(&self, ty: Type) -> String {
        let (base, sizes) = self.type_parts(ty);
        base + &sizes
    }

    fn base_name(&self, ty: Type) -> String {
        let vector = |s: Scalar| match s {
            Scalar::Bool => "b",
            Scalar::I32 => "i",
            Scalar::U32 => "u",
            Scalar::I64 => "i64",
            Scalar::U64 => "u64",
            Scalar::F32 => "",
            Scalar::F64 => "d",
        };
        match &self.module.types[ty] {
            TypeKind::Void => "void".into(),
            TypeKind::Scalar(s) => match s {
                Scalar::Bool => "bool",
                Scalar::I32 => "int",
                Scalar::U32 => "uint",
                Scalar::I64 => "int64_t",
                Scalar::U64 => "uint64_t",
                Scalar::F32 => "float",
                Scalar::F64 => "double",
            }
            .into(),
            TypeKind::Vector(s, n) => format!("{}vec{n}", vector(*s)),
            TypeKind::Matrix { scalar, columns, rows } if columns == rows => {
                format!("{}mat{columns}", vector(*scalar))
            }
            TypeKind::Matrix { scalar, columns, rows } => format!("{}mat{columns}x{rows}", vector(*scalar)),
            TypeKind::AtomicCounter => "atomic_uint".into(),
            TypeKind::YuvCsc => "yuvCscStandardEXT".into(),
            TypeKind::Image(image) => image_name(image),
            TypeKind::Sampler { comparison } => if *comparison { "samplerShadow" } else { "sampler" }.into(),
            TypeKind::Struct(s) => match self.known_struct(ty) {
                Some(symbol) => self.name(symbol).to_string(),
                None => s.name.to_string(),
            },
            // Reported by `check_type`.
            _ => "void".into(),
        }
    }
}
