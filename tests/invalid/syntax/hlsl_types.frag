// ERROR: E0301 5:9
// ERROR: E0301 6:1
// ERROR: E0301 6:14
precision mediump float;
uniform float3 tint;
float4 shade(float2 uv) {
    return vec4(tint, 1.0);
}
void main() {
    gl_FragColor = shade(vec2(0.5));
}
