#version 300 es
// write: es 300, es 300 minify
// A line that nobody could read gets names for its parts; not if it is minified, and not in the head of a loop.
precision highp float;
uniform float a[8];
out vec4 color;

void main() {
    float sum = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3] + a[4] * a[4] + a[5] * a[5] + a[6] * a[6] + a[7] * a[7]
        + a[0] * a[1] + a[1] * a[2] + a[2] * a[3] + a[3] * a[4] + a[4] * a[5] + a[5] * a[6] + a[6] * a[7] + a[7] * a[0];
    for (int i = 0; float(i) < a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7] + a[0] * a[1] * a[2] * a[3]; i++) {
        sum *= 0.5;
    }
    color = vec4(sum, sin(a[0] + a[1] + a[2] + a[3] + a[4] + a[5]), cos(a[0] * a[1] * a[2] * a[3] * a[4] * a[5]), 1.0);
}
