// ERROR: E0201 7:7
precision mediump float;
varying float x;
void main() {
    if (x > 0.5) {
        gl_FragColor = vec4(1.0);
    } elseif (x > 0.25) {
        gl_FragColor = vec4(0.5);
    }
}
