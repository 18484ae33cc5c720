// Uniforms that are no structs.
@group(0) @binding(0) var<uniform> matrix: mat4x4<f32>;
@group(0) @binding(1) var<uniform> weights: array<vec4<f32>, 8>;
@group(0) @binding(2) var<uniform> mode: u32;
@group(2) @binding(7) var<storage, read_write> counter: atomic<u32>;
@fragment fn main(@location(0) @interpolate(flat) i: u32) -> @location(0) vec4<f32> {
    if mode == 2u { atomicAdd(&counter, 1u); }
    return matrix * weights[i];
}
