// ERROR: E0311 5:25
precision mediump float;
varying float x;
void main() {
    gl_FragColor = vec4(dFdx(x));
}
