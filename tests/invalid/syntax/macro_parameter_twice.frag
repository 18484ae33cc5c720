// ERROR: E0108 2:16
#define MIX(a, a) ((a) + (a))
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0);
}
