// error: E1101 11
// with: --limit flat_iterations=64
// `for (;;)` that only the pixel's value ends.
#version 300 es
precision highp float;
precision highp int;
out vec4 color;
void main() {
    float x = gl_FragCoord.y;
    int rounds = 0;
    for (;;) {
        x -= 3.0;
        ++rounds;
        if (x < 0.0) break;
    }
    color = vec4(float(rounds) / 100.0);
}
