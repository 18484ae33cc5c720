@fragment
fn main(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> {
    let a = dpdx(uv) + dpdy(uv) + fwidth(uv);
    let b = dpdxFine(uv) + dpdyFine(uv) + fwidthFine(uv);
    let c = dpdxCoarse(uv) + dpdyCoarse(uv) + fwidthCoarse(uv);
    return vec4<f32>(a + b, c);
}
