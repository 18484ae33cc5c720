// Sampling in all its forms.
@group(0) @binding(0) var t1: texture_1d<f32>;
@group(0) @binding(1) var t2: texture_2d<f32>;
@group(0) @binding(2) var t2a: texture_2d_array<f32>;
@group(0) @binding(3) var t3: texture_3d<f32>;
@group(0) @binding(4) var tc: texture_cube<f32>;
@group(0) @binding(5) var tca: texture_cube_array<f32>;
@group(0) @binding(6) var td: texture_depth_2d;
@group(0) @binding(7) var tda: texture_depth_2d_array;
@group(0) @binding(8) var tdc: texture_depth_cube;
@group(0) @binding(9) var smp: sampler;
@group(0) @binding(10) var cmp: sampler_comparison;

fn helper(t: texture_2d<f32>, s: sampler, uv: vec2<f32>) -> vec4<f32> { return textureSample(t, s, uv); }

@fragment
fn main(@location(0) uv: vec2<f32>, @location(1) dir: vec3<f32>, @location(2) @interpolate(flat) layer: i32)
    -> @location(0) vec4<f32> {
    var sum = textureSample(t1, smp, uv.x);
    sum += helper(t2, smp, uv);
    sum += textureSample(t2, smp, uv, vec2<i32>(1, -1));
    sum += textureSample(t2a, smp, uv, layer);
    sum += textureSample(t3, smp, dir);
    sum += textureSample(tc, smp, dir);
    sum += textureSample(tca, smp, dir, layer);
    sum += textureSampleBias(t2, smp, uv, 1.5);
    sum += textureSampleLevel(t2, smp, uv, 2.0);
    sum += textureSampleLevel(t2a, smp, uv, layer, 2.0, vec2<i32>(1, 1));
    sum += textureSampleGrad(t2, smp, uv, dpdx(uv), dpdy(uv));
    sum += textureSampleGrad(tc, smp, dir, dpdx(dir), dpdy(dir));
    sum += textureSampleBaseClampToEdge(t2, smp, uv);
    sum += textureSample(td, smp, uv);
    sum += textureSampleLevel(td, smp, uv, 1);
    sum += textureSampleCompare(td, cmp, uv, 0.5);
    sum += textureSampleCompare(tda, cmp, uv, layer, 0.5);
    sum += textureSampleCompareLevel(tdc, cmp, dir, 0.5);
    sum += textureGather(2, t2, smp, uv);
    sum += textureGather(td, smp, uv);
    sum += textureGatherCompare(td, cmp, uv, 0.25);
    return sum;
}
