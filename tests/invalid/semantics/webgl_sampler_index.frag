// ERROR: E0505 6:32
precision mediump float;
uniform sampler2D t[2];
uniform int n;
void main() {
    gl_FragColor = texture2D(t[n], vec2(0.0));
}
