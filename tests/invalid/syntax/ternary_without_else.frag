// ERROR: E0201 5:31
precision mediump float;
varying vec2 uv;
void main() {
    float a = uv.x > 0.5 ? 1.0;
    gl_FragColor = vec4(a);
}
