// ERROR: E0203 3:1
precision mediump float;
enum Mode { FLAT, ROUND };
void main() {
    gl_FragColor = vec4(1.0);
}
