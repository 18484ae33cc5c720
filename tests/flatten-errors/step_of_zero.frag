// error: E1101 9
// All is constant, and the loop never ends.
#version 300 es
precision highp float;
precision highp int;
out vec4 color;
void main() {
    float sum = 0.0;
    for (float x = 0.0; x < 1.0; x += 0.0)
        sum += 0.1;
    color = vec4(sum);
}
