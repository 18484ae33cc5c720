// ERROR: E0203 7:5
// ERROR: E0205 8:5
// ERROR: E0203 11:5
precision mediump float;
uniform int mode;
void main() {
    switch (mode) {
    case 0:
        gl_FragColor = vec4(0.0);
        break;
    default:
        gl_FragColor = vec4(1.0);
    }
}
