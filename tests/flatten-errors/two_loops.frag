// error: E1101 12
// error: E1101 14
// with: --limit flat_iterations=64
// Two loops without a bound are two errors.
#version 300 es
precision highp float;
precision highp int;
uniform int steps;
out vec4 color;
void main() {
    float sum = 0.0;
    for (int i = 0; i < steps; ++i)
        sum += 0.1;
    while (sum > 0.5)
        sum *= 0.3;
    color = vec4(sum);
}
