// error: E1101 11
// with: --limit flat_iterations=64
// The counter steps only where the pixel says so.
#version 300 es
precision highp float;
precision highp int;
out vec4 color;
void main() {
    float x = gl_FragCoord.x;
    int i = 0;
    while (i < 8) {
        x = fract(x * 1.7);
        if (x > 0.5) ++i;
    }
    color = vec4(x);
}
