// ERROR: E0202 5:47
precision mediump float;
uniform float weights[4];
void main() {
    gl_FragColor = vec4(weights[0] + weights[1);
}
