//! Features of GLSL that a target may lack: 64-bit numbers, atomics, barriers, formats of images, kinds of textures, layouts, control
//! flow.

use planish_ir::module::Stage;

/// Parts of shaders: declarations, and statements that use them.
#[rustfmt::skip]
const FEATURES: &[(&str, &str)] = &[
    // Integers and floats of 64 bits.
    ("", "dvec2 d = dvec2(x); x = float(d.x * d.y); x += float(sqrt(d.x));"),
    ("", "uint64_t u = uint64_t(n) << 40; n = int(u >> 38);"),
    ("", "i64vec2 u = i64vec2(n); n = int(u.x / u.y);"),
    ("", "double m; m = modf(double(x), m); x = float(m);"),
    ("", "int e; double m = frexp(double(x), e); x = float(ldexp(m, e + 1));"),
    ("", "uvec2 w = unpackDouble2x32(double(x)); n = int(w.x);"),
    ("", "dmat3 m = dmat3(x); x = float(determinant(m));"),
    ("", "dmat3 m = inverse(dmat3(x)); x = float(m[0][0]);"),
    ("uniform dmat2x3 dm;", "x = float(dm[1].z);"),
    ("layout(std430, binding = 3) buffer D { double d[]; };", "x = float(d[n]);"),
    // Atomics.
    ("layout(std430, binding = 3) buffer A { uint a[4]; };", "n = int(atomicAdd(a[n], 2u) + atomicMin(a[1], 1u) + atomicMax(a[1], 1u));"),
    ("layout(std430, binding = 3) buffer A { int a[4]; };", "n = atomicAnd(a[n], 2) + atomicOr(a[1], 1) + atomicXor(a[1], 1);"),
    ("layout(std430, binding = 3) buffer A { int a; };", "n = atomicExchange(a, 2) + atomicCompSwap(a, 1, n);"),
    ("layout(std430, binding = 3) buffer A { int a; };", "atomicExchange(a, 2); atomicCompSwap(a, 1, n); atomicAdd(a, 1);"),
    ("layout(binding = 3, r32i) uniform iimage2D im;", "n = imageAtomicAdd(im, ivec2(0), 1) + imageAtomicMin(im, ivec2(0), 1);"),
    ("layout(binding = 3, r32ui) uniform uimage2D im;", "n = int(imageAtomicExchange(im, ivec2(0), 1u) + imageAtomicCompSwap(im, ivec2(0), 1u, 2u));"),
    ("layout(binding = 3, r32ui) uniform uimage3D im;", "n = int(imageAtomicOr(im, ivec3(0), 1u) + imageAtomicXor(im, ivec3(0), 2u));"),
    ("layout(binding = 3, r32f) uniform image2D im;", "x = imageAtomicExchange(im, ivec2(0), x);"),
    ("layout(binding = 3, offset = 4) uniform atomic_uint counter;", "n = int(atomicCounterIncrement(counter) + atomicCounter(counter));"),
    // Barriers.
    ("", "memoryBarrier();"),
    ("", "memoryBarrierBuffer(); n += 1;"),
    ("", "memoryBarrierImage();"),
    ("", "memoryBarrierAtomicCounter();"),
    // Images of all formats.
    ("layout(binding = 3, rgba8) uniform image2D im;", "imageStore(im, ivec2(n), imageLoad(im, ivec2(0)));"),
    ("layout(binding = 3, rgba32f) readonly uniform image2DArray im;", "x = imageLoad(im, ivec3(0)).x;"),
    ("layout(binding = 3, r11f_g11f_b10f) writeonly uniform image2D im;", "imageStore(im, ivec2(n), vec4(x));"),
    ("layout(binding = 3, rgb10_a2ui) uniform uimage2D im;", "imageStore(im, ivec2(n), imageLoad(im, ivec2(1)));"),
    ("layout(binding = 3, r16) uniform image2D im;", "imageStore(im, ivec2(n), imageLoad(im, ivec2(1)));"),
    ("layout(binding = 3, rgba16_snorm) uniform image1D im;", "imageStore(im, n, imageLoad(im, 1));"),
    ("layout(binding = 3, rg8i) uniform iimage3D im;", "imageStore(im, ivec3(n), imageLoad(im, ivec3(1))); n = imageSize(im).z;"),
    ("layout(binding = 3, r8) uniform imageCube im;", "imageStore(im, ivec3(n), imageLoad(im, ivec3(1)));"),
    ("layout(binding = 3, rgba8) uniform imageCubeArray im;", "imageStore(im, ivec3(n), vec4(x));"),
    ("layout(binding = 3, r32f) uniform imageBuffer im;", "imageStore(im, n, imageLoad(im, 1)); n = imageSize(im);"),
    ("layout(binding = 3, rgba8) uniform image2DRect im;", "imageStore(im, ivec2(n), imageLoad(im, ivec2(1)));"),
    ("layout(binding = 3, rgba8) uniform image2DMS im;", "imageStore(im, ivec2(n), 1, imageLoad(im, ivec2(1), 0));"),
    ("layout(binding = 3, rgba8) uniform image2D im[3];", "imageStore(im[n], ivec2(n), vec4(x));"),
    ("layout(binding = 3) writeonly uniform image2D im;", "imageStore(im, ivec2(n), vec4(x)); n = imageSize(im).x;"),
    ("layout(binding = 3, rgba8) coherent volatile restrict uniform image2D im;", "imageStore(im, ivec2(n), vec4(x));"),
    // Textures.
    ("layout(binding = 3) uniform sampler2DMS t;", "x = texelFetch(t, ivec2(n), 1).x; n = textureSamples(t) + textureSize(t).x;"),
    ("layout(binding = 3) uniform sampler2DMSArray t;", "x = texelFetch(t, ivec3(n), 1).x;"),
    ("layout(binding = 3) uniform samplerBuffer t;", "x = texelFetch(t, n).x;"),
    ("layout(binding = 3) uniform sampler2DRect t;", "x = texture(t, vec2(x)).x;"),
    ("layout(binding = 3) uniform sampler1D t;", "x = textureLod(t, x, 0.0).x;"),
    ("layout(binding = 3) uniform sampler1DArrayShadow t;", "x = textureLod(t, vec3(x), 0.0);"),
    ("layout(binding = 3) uniform samplerCubeArrayShadow t;", "x = textureGather(t, vec4(x), x).x;"),
    ("layout(binding = 3) uniform samplerCubeArray t;", "x = textureLod(t, vec4(x), 1.0).x;"),
    ("layout(binding = 3) uniform sampler2DShadow t;", "x = textureLodOffset(t, vec3(x), 0.0, ivec2(1));"),
    ("layout(binding = 3) uniform sampler2DArrayShadow t;", "x = textureGrad(t, vec4(x), vec2(x), vec2(x));"),
    ("layout(binding = 3) uniform usampler3D t;", "n = int(textureLod(t, vec3(x), 0.0).x); n += textureQueryLevels(t);"),
    ("layout(binding = 3) uniform sampler2D t;", "x = textureGatherOffset(t, vec2(x), ivec2(1), 2).x;"),
    ("layout(binding = 3) uniform sampler2D t;", "const ivec2 o[4] = ivec2[4](ivec2(0), ivec2(1), ivec2(2), ivec2(3)); x = textureGatherOffsets(t, vec2(x), o).x;"),
    ("layout(binding = 3) uniform sampler2D t;", "x = textureProjLod(t, vec3(x), 0.0).x + textureProjGrad(t, vec3(x), vec2(x), vec2(x)).x;"),
    ("layout(binding = 3) uniform sampler2D t;", "x = texture(t, vec2(x)).x + textureProj(t, vec3(x)).x;"),
    ("layout(binding = 3) uniform isampler2D t[4];", "n = textureLod(t[n], vec2(x), 0.0).x;"),
    ("struct S { sampler2D t; float f; }; uniform S s;", "x = textureLod(s.t, vec2(s.f), 0.0).x;"),
    // Memory.
    ("layout(std140, binding = 3) uniform B { mat2 m; bool b; float f[3]; layout(row_major) mat3 r; };", "x = m[n][1] + f[n] + r[n].x + (b ? 1.0 : 0.0);"),
    ("layout(std430, binding = 3) buffer B { mat2 m[2]; bvec2 b; vec3 v; float f[]; };", "m[n][0] = vec2(x); b.x = !b.x; v.yz = vec2(x); n = f.length();"),
    ("layout(std430, binding = 3) buffer B { vec4 v; } bs[3];", "bs[n].v.x = x;"),
    ("layout(std140, binding = 3) uniform B { vec4 v; } bs[3];", "x = bs[n].v.x;"),
    ("struct S { int a[3]; vec2 b; }; layout(std430, binding = 3) readonly buffer B { S s[]; };", "S s2 = s[n]; x = s2.b.y; n = s2.a[n];"),
    ("layout(constant_id = 7) const int size = 4; int table[4];", "for (int i = 0; i < size; i++) n += table[i & 3];"),
    ("layout(constant_id = 7) const double d = 4.0lf;", "x = float(d);"),
    ("layout(constant_id = 7) const bool flag = true; layout(constant_id = 8) const uint u = 4u;", "if (flag) n += int(u);"),
    ("const float big = 1.0 / 0.0; const double bigger = 1.0lf / 0.0lf;", "x += big; if (double(x) < bigger) n = 1;"),
    ("float a[2][3];", "a[n][1] = x; float b[2][3] = a; x = b[1][n];"),
    ("struct S { mat3 m; bool b[2]; };", "S s; s.m = mat3(x); s.b[n] = true; S t = s; if (t == s) n = 1;"),
    // Functions and control flow.
    ("void f(out float a, inout int b, in vec2 c) { a = c.x; b += 1; }", "float y[2]; f(y[1], n, vec2(x)); x = y[n];"),
    ("mat2 f(mat2 m[2]) { return m[1]; }", "mat2 m[2]; m[0] = mat2(x); m[1] = m[0]; x = f(m)[n][0];"),
    ("float f(sampler2D s) { return textureLod(s, vec2(0.0), 0.0).x; } layout(binding = 3) uniform sampler2D t;", "x = f(t);"),
    ("", "switch (n) { case 1: x = 2.0; case 2: x += 1.0; break; default: return; }"),
    ("", "for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) { if (j == 3) break; if (i == 4) continue; x += 1.0; } }"),
    ("", "do { x *= 2.0; if (x > 9.0) continue; n++; } while (n < 5);"),
    // Arithmetic that is not everywhere.
    ("", "uint hi, lo; umulExtended(uint(n), 3u, hi, lo); n = int(hi); uint d; lo = uaddCarry(hi, lo, d); n += int(usubBorrow(lo, d, hi));"),
    ("", "n = bitfieldExtract(n, 3, 4) + bitfieldInsert(n, 3, 4, 5) + bitCount(n) + findMSB(n) + findLSB(n) + bitfieldReverse(n);"),
    ("", "uint p = packHalf2x16(vec2(x)) + packUnorm4x8(vec4(x)); x = unpackSnorm2x16(p).x;"),
    ("", "x = fma(x, x, x) + ldexp(x, n) + asinh(x) + roundEven(x); int e; x += frexp(x, e); n = e;"),
    ("", "bvec3 b = bvec3(n); x = float(b) + dot(vec3(b), vec3(x)); if (any(not(b))) n = 1;"),
    ("", "mat3x2 m = outerProduct(vec2(x), vec3(x)); x = transpose(m)[1].x + matrixCompMult(m, m)[0].y;"),
    ("", "x = isnan(x) || isinf(x) ? 1.0 : float(floatBitsToInt(x)) + mod(x, 3.0); vec2 v = vec2(x); v[n] = 2.0; x = v.y;"),
];

/// Features of one stage.
#[rustfmt::skip]
const STAGED: &[(Stage, &str, &str)] = &[
    (Stage::Fragment, "", "discard;"),
    (Stage::Fragment, "", "x = dFdx(x) + fwidthFine(x) + dFdyCoarse(x);"),
    (Stage::Fragment, "layout(location = 3) in vec2 v;", "x = interpolateAtCentroid(v).x + interpolateAtSample(v, 1).x + interpolateAtOffset(v, vec2(0.1)).y;"),
    (Stage::Fragment, "layout(location = 3) sample in vec2 v; layout(location = 4) centroid in vec2 w; layout(location = 5) noperspective in vec2 z;", "x = v.x + w.x + z.x;"),
    (Stage::Fragment, "layout(location = 3) flat in dvec2 v;", "x = float(v.x);"),
    (Stage::Fragment, "layout(input_attachment_index = 0, set = 0, binding = 3) uniform subpassInput t;", "x = subpassLoad(t).x;"),
    (Stage::Fragment, "layout(input_attachment_index = 0, set = 0, binding = 3) uniform isubpassInputMS t;", "n = subpassLoad(t, 1).x;"),
    (Stage::Fragment, "layout(push_constant) uniform P { vec4 v; int i; };", "x = v.x; n = i;"),
    (Stage::Fragment, "layout(set = 0, binding = 3) uniform texture2D t; layout(set = 0, binding = 4) uniform sampler s;", "x = texture(sampler2D(t, s), vec2(x)).x;"),
    (Stage::Fragment, "layout(set = 0, binding = 3) uniform texture2D t[2]; layout(set = 0, binding = 4) uniform samplerShadow s;", "x = texture(sampler2DShadow(t[n], s), vec3(x));"),
    (Stage::Fragment, "layout(binding = 3) uniform sampler2D t;", "x = textureQueryLod(t, vec2(x)).x + texture(t, vec2(x), 1.0).x + textureOffset(t, vec2(x), ivec2(1)).x;"),
    (Stage::Fragment, "layout(depth_greater) out float gl_FragDepth;", "gl_FragDepth = x;"),
    (Stage::Fragment, "layout(early_fragment_tests) in;", "x = gl_FragCoord.z;"),
    (Stage::Fragment, "", "n = gl_SampleID + gl_SampleMaskIn[0] + gl_PrimitiveID + gl_Layer + gl_ViewportIndex; gl_SampleMask[0] = n; x = gl_SamplePosition.x;"),
    (Stage::Fragment, "", "if (gl_FrontFacing) x = gl_PointCoord.x; if (gl_HelperInvocation) n = 1;"),
    (Stage::Fragment, "in float gl_ClipDistance[2]; in float gl_CullDistance[1];", "x = gl_ClipDistance[1] + gl_CullDistance[0];"),
    (Stage::Fragment, "layout(location = 0, index = 1) out vec4 other;", "other = vec4(x);"),
    (Stage::Vertex, "", "gl_Position = vec4(x); gl_PointSize = 2.0;"),
    (Stage::Vertex, "out float gl_ClipDistance[2]; out float gl_CullDistance[1];", "gl_ClipDistance[1] = x; gl_CullDistance[0] = x; gl_Position = vec4(x);"),
    (Stage::Vertex, "invariant gl_Position; layout(location = 3) flat out ivec3 v; layout(location = 4) out mat3 m;", "gl_Position = vec4(x); v = ivec3(n); m = mat3(x);"),
    (Stage::Vertex, "layout(location = 3) in dvec3 d;", "x = float(d.y);"),
    (Stage::Vertex, "layout(binding = 3) uniform sampler2DShadow t;", "x = texture(t, vec3(x));"),
    (Stage::Vertex, "layout(location = 3) out double d;", "d = double(x);"),
    (Stage::Compute, "shared float s[4]; layout(local_size_x = 4) in;", "s[n] = x; barrier(); x = s[n ^ 1];"),
    (Stage::Compute, "shared uint s; layout(local_size_x = 4) in;", "atomicAdd(s, 1u); memoryBarrierShared(); barrier(); n = int(s);"),
    (Stage::Compute, "layout(local_size_x = 4) in;", "groupMemoryBarrier();"),
    (Stage::Compute, "layout(local_size_x = 4) in;", "memoryBarrierShared(); n = int(gl_LocalInvocationIndex + gl_NumWorkGroups.x + gl_WorkGroupSize.y);"),
    (Stage::Compute, "layout(local_size_x_id = 3) in; shared double s;", "s = double(x); barrier(); x = float(s);"),
];

/// A shader with a feature.
pub fn shader(stage: Stage, declarations: &str, statements: &str) -> String {
    let extensions = "#extension GL_ARB_gpu_shader_int64 : enable\n";
    let (own, end) = match stage {
        Stage::Fragment => ("layout(location = 0) out vec4 c;", "c = vec4(x, n, 0, 1);"),
        Stage::Vertex => ("layout(location = 0) out vec4 c;", "c = vec4(x, n, 0, 1); gl_Position = c;"),
        _ => ("layout(std430, binding = 9) buffer Out { vec4 c; };", "c = vec4(x, n, 0, 1);"),
    };
    format!(
        "#version 450\n{extensions}layout(std140, binding = 8) uniform In {{ float x0; int n0; }};\n{own}\n{declarations}\n\
         void main() {{ float x = x0; int n = n0;\n{statements}\n{end} }}\n"
    )
}

/// Every feature with each stage that has it.
pub fn all() -> impl Iterator<Item = (Stage, &'static str, &'static str)> {
    let everywhere = [Stage::Vertex, Stage::Fragment, Stage::Compute];
    FEATURES.iter().flat_map(move |&(d, s)| everywhere.map(|stage| (stage, d, s))).chain(STAGED.iter().copied())
}
