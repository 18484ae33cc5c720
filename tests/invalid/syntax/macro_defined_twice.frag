// ERROR: E0108 3:9
#define STEPS 16
#define STEPS 32
precision mediump float;
void main() {
    gl_FragColor = vec4(float(STEPS));
}
