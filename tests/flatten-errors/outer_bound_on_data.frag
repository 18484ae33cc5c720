// error: E1101 11
// with: --limit flat_iterations=64
// The inner loop is bounded, the outer one is not.
#version 300 es
precision highp float;
precision highp int;
in float amount;
out vec4 color;
void main() {
    float sum = 0.0;
    for (float y = 0.0; y < amount; y += 0.1) {
        for (int x = 0; x < 4; ++x) {
            sum += 0.01;
        }
    }
    color = vec4(sum);
}
