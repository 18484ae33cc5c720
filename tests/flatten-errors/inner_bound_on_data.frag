// error: E1101 12
// with: --limit flat_iterations=64
// The outer loop is bounded, the inner one goes as far as the pixel's value.
#version 300 es
precision highp float;
precision highp int;
out vec4 color;
void main() {
    float sum = 0.0;
    for (int y = 0; y < 4; ++y) {
        int width = y + int(gl_FragCoord.x);
        for (int x = 0; x < width; ++x) {
            sum += 0.01;
        }
    }
    color = vec4(sum);
}
