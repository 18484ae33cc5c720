//! Words of C, HLSL, WGSL and JavaScript in GLSL sources, and their GLSL counterparts.

use crate::symbol::{Symbol, kw};
use crate::version::Version;

/// The GLSL type for a type of HLSL, WGSL, C or Metal, and its keyword; called for unknown names only.
pub(super) fn type_instead_of(name: &str) -> Option<(&'static str, Symbol)> {
    Some(match name {
        "float1" | "f32" | "number" | "real" | "Float" | "half1" | "min16float" => ("float", kw::FLOAT),
        "int1" | "i32" | "integer" | "Int" | "int32" => ("int", kw::INT),
        "uint1" | "u32" | "dword" | "uint32" => ("uint", kw::UINT),
        "boolean" | "Bool" => ("bool", kw::BOOL),
        "float2" | "vec2f" | "half2" | "Vec2" | "Vector2" => ("vec2", kw::VEC2),
        "float3" | "vec3f" | "half3" | "Vec3" | "Vector3" => ("vec3", kw::VEC3),
        "float4" | "vec4f" | "half4" | "Vec4" | "Vector4" => ("vec4", kw::VEC4),
        "int2" | "vec2i" => ("ivec2", kw::IVEC2),
        "int3" | "vec3i" => ("ivec3", kw::IVEC3),
        "int4" | "vec4i" => ("ivec4", kw::IVEC4),
        "uint2" | "vec2u" => ("uvec2", kw::UVEC2),
        "uint3" | "vec3u" => ("uvec3", kw::UVEC3),
        "uint4" | "vec4u" => ("uvec4", kw::UVEC4),
        "bool2" => ("bvec2", kw::BVEC2),
        "bool3" => ("bvec3", kw::BVEC3),
        "bool4" => ("bvec4", kw::BVEC4),
        "float2x2" | "half2x2" | "mat2x2f" | "Mat2" => ("mat2", kw::MAT2),
        "float3x3" | "half3x3" | "mat3x3f" | "Mat3" => ("mat3", kw::MAT3),
        "float4x4" | "half4x4" | "mat4x4f" | "Mat4" | "matrix" => ("mat4", kw::MAT4),
        "Texture2D" | "texture_2d" => ("sampler2D", kw::SAMPLER2D),
        "Texture3D" | "texture_3d" => ("sampler3D", kw::SAMPLER3D),
        "TextureCube" | "texture_cube" => ("samplerCube", kw::SAMPLERCUBE),
        _ => return None,
    })
}

/// Hint for words that begin declarations in other languages; called for unknown names only.
pub(super) fn instead_of_declaring_word(name: &str) -> Option<&'static str> {
    Some(match name {
        "let" | "var" | "auto" | "val" => "a declaration begins with the type: `float x = 1.0;`",
        "fn" | "func" | "function" | "def" => "a function begins with the type of its result: `float f(float x) { … }`",
        "cbuffer" | "tbuffer" => "write `layout(std140) uniform Name { … };`",
        "groupshared" => "write `shared`",
        "import" | "using" | "module" => {
            "GLSL has no modules; `#include` needs the extension `GL_GOOGLE_include_directive`"
        }
        _ => return None,
    })
}

/// Hint for a reserved word.
pub(super) fn instead_of_reserved(word: &str, version: Version) -> Option<String> {
    let text = match word {
        "attribute" => "write `in`",
        "varying" => "write `out` in a vertex shader and `in` in a fragment shader",
        "static" | "inline" | "noinline" | "extern" | "external" | "public" => {
            return Some(format!("GLSL has no `{word}`: leave it out"));
        }
        "unsigned" if version.has_unsigned() => "the type without sign is `uint`",
        "unsigned" => return Some(format!("{version} has no integers without sign: write `int`")),
        "double" | "half" | "fixed" => "write `float`",
        "long" | "short" => "write `int`",
        "dvec2" | "hvec2" | "fvec2" => "write `vec2`",
        "dvec3" | "hvec3" | "fvec3" => "write `vec3`",
        "dvec4" | "hvec4" | "fvec4" => "write `vec4`",
        "class" | "union" | "interface" => "GLSL has only `struct`",
        "enum" => "write `const int A = 0;` for each",
        "typedef" | "using" => "GLSL cannot name types; `#define Name type` comes near",
        "template" => "GLSL has no templates; write one function for each type: they may share a name",
        "namespace" => "GLSL has no namespaces: begin the names with a common prefix",
        "this" => "GLSL has no methods: pass the struct as a parameter",
        "goto" => "use a loop with `break` and `continue`",
        "sizeof" => "use `.length()` for the size of an array",
        "switch" | "default" => "write `if` and `else if`, or start the program with `#version 300 es`",
        "flat" => "it needs `#version 300 es`",
        "superp" => "write `highp`",
        _ => return None,
    };
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbol::Interner;

    #[test]
    fn suggested_types_are_what_they_say() {
        let names = Interner::new();
        for foreign in ["float3", "f32", "vec2u", "half4x4", "Texture2D", "boolean", "int4"] {
            let (name, symbol) = type_instead_of(foreign).unwrap();
            assert_eq!(names.resolve(symbol), name);
        }
        assert_eq!(type_instead_of("vec3"), None);
    }
}
