// error: E1101 10
// with: --limit flat_iterations=64
// The condition stands at the end and hangs on the pixel.
#version 300 es
precision highp float;
precision highp int;
out vec4 color;
void main() {
    float x = gl_FragCoord.x;
    do {
        x = x * 0.7 - 0.1;
    } while (x > 0.5);
    color = vec4(x);
}
