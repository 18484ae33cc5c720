// ERROR: E0205 3:14
precision mediump float;
uniform float[4] weights;
void main() {
    gl_FragColor = vec4(weights[0]);
}
