// ERROR: E0202 7:6
precision mediump float;
varying float x;
void main() {
    if (x > 0.5) {
        gl_FragColor = vec4(1.0);
    }
