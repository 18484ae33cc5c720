// ERROR: E0101 5:20
precision mediump float;
uniform float time;
void main() {
    float a = time ’ 2.0;
    gl_FragColor = vec4(a);
}
