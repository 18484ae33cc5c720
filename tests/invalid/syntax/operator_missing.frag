// ERROR: E0201 5:18
precision mediump float;
varying vec2 uv;
void main() {
    float a = 2.0 uv.x;
    gl_FragColor = vec4(a);
}
