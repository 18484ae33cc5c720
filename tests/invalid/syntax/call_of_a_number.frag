// ERROR: E0201 5:18
precision mediump float;
varying float x;
void main() {
    float y = 2.0(x + 1.0);
    gl_FragColor = vec4(y);
}
