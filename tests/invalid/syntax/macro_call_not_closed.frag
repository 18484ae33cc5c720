// ERROR: E0109 5:25
#define TWICE(a) ((a) + (a))
precision mediump float;
void main() {
    gl_FragColor = vec4(TWICE((1.0);
}
