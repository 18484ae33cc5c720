// Matrices in uniform and storage memory, whole and by column.
struct Bones { scale: mat3x3<f32>, pose: array<mat4x4<f32>, 4>, count: u32 }
@group(0) @binding(0) var<uniform> bones: Bones;
@group(0) @binding(1) var<storage, read> poses: array<mat3x4<f32>>;
@vertex fn main(@location(0) p: vec3<f32>, @location(1) bone: vec4<u32>) -> @builtin(position) vec4<f32> {
    var sum = vec4<f32>();
    for (var i = 0u; i < min(bones.count, 4u); i++) { sum += bones.pose[bone[i]] * vec4<f32>(bones.scale * p, 1.0); }
    return sum + poses[1] * bones.scale[2] + poses[0][bone.x % 3u];
}
