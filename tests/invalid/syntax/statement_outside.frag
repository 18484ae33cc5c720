// ERROR: E0201 5:1
precision mediump float;
uniform float time;
float phase;
phase = time * 2.0;
void main() {
    gl_FragColor = vec4(phase);
}
