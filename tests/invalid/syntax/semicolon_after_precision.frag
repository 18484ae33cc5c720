// ERROR: E0201 2:24
precision mediump float
varying vec2 uv;
void main() {
    gl_FragColor = vec4(uv, 0.0, 1.0);
}
