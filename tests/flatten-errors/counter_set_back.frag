// error: E1101 10
// with: --limit flat_iterations=64
// The body sets the counter back.
#version 300 es
precision highp float;
precision highp int;
out vec4 color;
void main() {
    float x = gl_FragCoord.x;
    for (int i = 0; i < 8; ++i) {
        x = fract(x * 3.1);
        if (x < 0.1) i = 0;
    }
    color = vec4(x);
}
