// error: E1101 10
// A loop whose bound the program sets.
#version 300 es
precision highp float;
precision highp int;
uniform int steps;
out vec4 color;
void main() {
    float sum = 0.0;
    for (int i = 0; i < steps; ++i)
        sum += 0.1;
    color = vec4(sum);
}
