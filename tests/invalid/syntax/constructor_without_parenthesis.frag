// ERROR: E0201 5:29
precision mediump float;
varying float x;
void main() {
    gl_FragColor = max(vec4 x, x, x, 1.0), vec4(0.5));
}
