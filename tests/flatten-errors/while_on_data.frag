// error: E1101 10
// with: --limit flat_iterations=64
// A loop that runs until the pixel's value is small enough.
#version 300 es
precision highp float;
precision highp int;
out vec4 color;
void main() {
    float x = gl_FragCoord.x;
    while (x > 1.0) {
        x *= 0.5;
    }
    color = vec4(x);
}
