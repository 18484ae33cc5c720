//! Types as GLSL writes them.

use planish_ir::entity::Type;
use planish_ir::module::Module;
use planish_ir::types::{Scalar, TypeKind};

use crate::writer::Writer;

/// The GLSL name of an image type; empty for other types.
pub(crate) fn image_name_of(module: &Module, ty: Type) -> String {
    module.types.as_image(ty).map(|i| i.glsl_name()).unwrap_or_default()
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

    fn base_name(&self, ty: Type) -> String {
        let vector = |s: Scalar| match s {
            Scalar::Bool => "b",
            Scalar::I8 => "i8",
            Scalar::U8 => "u8",
            Scalar::I16 => "i16",
            Scalar::U16 => "u16",
            Scalar::I32 => "i",
            Scalar::U32 => "u",
            Scalar::I64 => "i64",
            Scalar::U64 => "u64",
            Scalar::F16 => "f16",
            Scalar::F32 => "",
            Scalar::F64 => "d",
        };
        match &self.module.types[ty] {
            TypeKind::Void => "void".into(),
            TypeKind::Scalar(s) => match s {
                Scalar::Bool => "bool",
                Scalar::I8 => "int8_t",
                Scalar::U8 => "uint8_t",
                Scalar::I16 => "int16_t",
                Scalar::U16 => "uint16_t",
                Scalar::I32 => "int",
                Scalar::U32 => "uint",
                Scalar::I64 => "int64_t",
                Scalar::U64 => "uint64_t",
                Scalar::F16 => "float16_t",
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
            TypeKind::Image(image) => image.glsl_name(),
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
