//! The built-in constants (`gl_MaxDrawBuffers`, …): the least values that the specifications guarantee, but for those
//! that every WebGL implementation exceeds.

use crate::version::Version;
use crate::webgl::WebGl;

/// Colours that a fragment shader writes at most.
pub(super) const MAX_DRAW_BUFFERS: u32 = 8;

/// Name, first ES version, first desktop version (0: none), value.
const ROWS: &[(&str, u16, u16, i32)] = &[
    ("gl_MaxVertexAttribs", 100, 110, 16),
    ("gl_MaxVertexUniformVectors", 100, 410, 256),
    ("gl_MaxVertexUniformComponents", 0, 110, 1024),
    ("gl_MaxVaryingVectors", 100, 410, 15),
    ("gl_MaxVaryingFloats", 0, 110, 60),
    ("gl_MaxVaryingComponents", 0, 130, 60),
    ("gl_MaxVertexOutputVectors", 300, 0, 16),
    ("gl_MaxFragmentInputVectors", 300, 0, 15),
    ("gl_MaxVertexOutputComponents", 0, 150, 64),
    ("gl_MaxFragmentInputComponents", 0, 150, 128),
    ("gl_MaxVertexTextureImageUnits", 100, 110, 16),
    ("gl_MaxCombinedTextureImageUnits", 100, 110, 32),
    ("gl_MaxTextureImageUnits", 100, 110, 16),
    ("gl_MaxFragmentUniformVectors", 100, 410, 224),
    ("gl_MaxFragmentUniformComponents", 0, 110, 1024),
    ("gl_MaxDrawBuffers", 100, 110, MAX_DRAW_BUFFERS as i32),
    ("gl_MinProgramTexelOffset", 300, 130, -8),
    ("gl_MaxProgramTexelOffset", 300, 130, 7),
    ("gl_MaxClipDistances", 0, 130, 8),
    ("gl_MaxCullDistances", 0, 450, 8),
    ("gl_MaxCombinedClipAndCullDistances", 0, 450, 8),
    ("gl_MaxSamples", 320, 450, 4),
    ("gl_MaxImageUnits", 310, 420, 8),
    ("gl_MaxVertexImageUniforms", 310, 420, 0),
    ("gl_MaxFragmentImageUniforms", 310, 420, 8),
    ("gl_MaxComputeImageUniforms", 310, 430, 8),
    ("gl_MaxCombinedImageUniforms", 310, 420, 8),
    ("gl_MaxCombinedShaderOutputResources", 310, 430, 8),
    ("gl_MaxComputeUniformComponents", 310, 430, 1024),
    ("gl_MaxComputeTextureImageUnits", 310, 430, 16),
    ("gl_MaxComputeAtomicCounters", 310, 430, 8),
    ("gl_MaxComputeAtomicCounterBuffers", 310, 430, 1),
    ("gl_MaxPatchVertices", 320, 400, super::vertices::MAX_PATCH_VERTICES as i32),
    ("gl_MaxTessGenLevel", 320, 400, 64),
    ("gl_MaxTessPatchComponents", 320, 400, 120),
    ("gl_MaxTessControlInputComponents", 320, 400, 128),
    ("gl_MaxTessControlOutputComponents", 320, 400, 128),
    ("gl_MaxTessControlTextureImageUnits", 320, 400, 16),
    ("gl_MaxTessControlUniformComponents", 320, 400, 1024),
    ("gl_MaxTessControlTotalOutputComponents", 320, 400, 4096),
    ("gl_MaxTessEvaluationInputComponents", 320, 400, 128),
    ("gl_MaxTessEvaluationOutputComponents", 320, 400, 128),
    ("gl_MaxTessEvaluationTextureImageUnits", 320, 400, 16),
    ("gl_MaxTessEvaluationUniformComponents", 320, 400, 1024),
    ("gl_MaxGeometryInputComponents", 320, 150, 64),
    ("gl_MaxGeometryOutputComponents", 320, 150, 128),
    ("gl_MaxGeometryTextureImageUnits", 320, 150, 16),
    ("gl_MaxGeometryOutputVertices", 320, 150, 256),
    ("gl_MaxGeometryTotalOutputComponents", 320, 150, 1024),
    ("gl_MaxGeometryUniformComponents", 320, 150, 1024),
    ("gl_MaxVertexAtomicCounters", 310, 420, 0),
    ("gl_MaxFragmentAtomicCounters", 310, 420, 8),
    ("gl_MaxCombinedAtomicCounters", 310, 420, 8),
    ("gl_MaxAtomicCounterBindings", 310, 420, 1),
    ("gl_MaxVertexAtomicCounterBuffers", 310, 420, 0),
    ("gl_MaxFragmentAtomicCounterBuffers", 310, 420, 1),
    ("gl_MaxCombinedAtomicCounterBuffers", 310, 420, 1),
    ("gl_MaxAtomicCounterBufferSize", 310, 420, 32),
    ("gl_MaxLights", 0, 110, 8),
    ("gl_MaxClipPlanes", 0, 110, 8),
    ("gl_MaxTextureUnits", 0, 110, 8),
    ("gl_MaxTextureCoords", 0, 110, 8),
];

/// Values of WebGL 1 with its least limits (GLSL ES 1.00.17, section 7.4).
const LEAST_OF_WEBGL_1: &[(&str, i32)] = &[
    ("gl_MaxVertexAttribs", 8),
    ("gl_MaxVertexUniformVectors", 128),
    ("gl_MaxVaryingVectors", 8),
    ("gl_MaxVertexTextureImageUnits", 0),
    ("gl_MaxCombinedTextureImageUnits", 8),
    ("gl_MaxTextureImageUnits", 8),
    ("gl_MaxFragmentUniformVectors", 16),
    ("gl_MaxDrawBuffers", 1),
];

/// The value of a built-in constant that is an `int`.
pub(super) fn find(name: &str, version: Version, webgl: WebGl) -> Option<i32> {
    let rest = name.strip_prefix("gl_M")?;
    if !(rest.starts_with("ax") || rest.starts_with("in")) {
        return None;
    }
    let (_, es, desktop, value) = ROWS.iter().find(|row| row.0 == name)?;
    let least = (webgl == WebGl::One).then(|| LEAST_OF_WEBGL_1.iter().find(|row| row.0 == name)).flatten();
    version.at_least(*es, *desktop).then_some(least.map_or(*value, |row| row.1))
}
