// ERROR: E0106 2:39
#extension GL_OES_standard_derivatives
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0);
}
