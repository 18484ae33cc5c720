// ERROR: E0109 5:15
#define SQUARE_SUM(a, b) ((a) * (a) + (b) * (b))
precision mediump float;
void main() {
    float r = SQUARE_SUM(2.0);
    gl_FragColor = vec4(r);
}
