// ERROR: E0201 9:5
precision mediump float;
varying float x;
void main() {
    float a = 1.0;
    if (x > 0.5) {
        a = 0.5;
    }}
    gl_FragColor = vec4(a);
}
