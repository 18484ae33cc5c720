// Layouts that need explicit offsets, padding, or another rule than the customary one.
struct Inner { a: vec3<f32>, b: f32 }
struct Odd { x: f32, @align(16) y: f32, @size(32) z: f32, w: vec2<f32> }
struct Small { m: mat2x2<f32>, n: mat3x3<f32>, inner: array<Inner, 3>, last: f32 }
struct Wide { @size(48) value: f32 }
struct Holder { first: f32, wides: array<Wide, 4>, after: f32 }
@group(0) @binding(0) var<uniform> odd: Odd;
@group(0) @binding(1) var<uniform> small: Small;
@group(0) @binding(2) var<storage, read> odd_again: Odd;
@group(0) @binding(3) var<storage, read> holder: Holder;
@group(1) @binding(0) var<storage, read> list: array<Inner>;

@fragment
fn main() -> @location(0) vec4<f32> {
    let wide = holder.wides[1];
    return vec4<f32>(odd.y, small.inner[2].b, odd_again.z, wide.value + holder.after) + vec4<f32>(small.m * odd.w, list[1].a.xy);
}
