// ERROR: E0201 5:8
precision mediump float;
varying float x;
void main() {
    if x > 0.5 {
        discard;
    }
    gl_FragColor = vec4(1.0);
}
