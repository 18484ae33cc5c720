// ERROR: E0201 5:33
precision mediump float;
uniform float weights[4];
void main() {
    gl_FragColor = vec4(weights[]);
}
