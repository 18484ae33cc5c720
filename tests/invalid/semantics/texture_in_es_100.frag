// ERROR: E0311 5:20
precision mediump float;
uniform sampler2D t;
void main() {
    gl_FragColor = texture(t, vec2(0.0));
}
