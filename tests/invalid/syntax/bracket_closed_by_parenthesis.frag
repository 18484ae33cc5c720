// ERROR: E0202 5:24
precision mediump float;
uniform float weights[4];
void main() {
    float w = weights[2);
    gl_FragColor = vec4(w);
}
