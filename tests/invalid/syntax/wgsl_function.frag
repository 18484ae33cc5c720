// ERROR: E0201 3:1
precision mediump float;
fn shade(uv: vec2f) -> vec4f {
    return vec4f(uv, 0.0, 1.0);
}
void main() {
    gl_FragColor = vec4(1.0);
}
