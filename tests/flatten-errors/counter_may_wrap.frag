// error: E1101 11
// with: --limit flat_iterations=64
// The step is not bounded from above, so the counter may wrap around.
#version 300 es
precision highp float;
precision highp int;
uniform int step_;
out vec4 color;
void main() {
    float x = gl_FragCoord.x;
    for (int i = 0; i < 8; ++i) {
        x = fract(x * 3.1);
        if (x < 0.1) i += max(step_, 0);
    }
    color = vec4(x);
}
