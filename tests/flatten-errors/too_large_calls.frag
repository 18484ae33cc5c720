// error: E1106 9
// with: --limit flat_nodes=5000
// Each helper calls the one below it four times.
#version 300 es
precision highp float;
precision highp int;
out vec4 color;
float a(float x) { return sin(x) + cos(x * 1.1); }
float b(float x) { return a(x) + a(x + 0.1) * a(x + 0.2) - a(x + 0.3); }
float c(float x) { return b(x) + b(x + 1.1) * b(x + 1.2) - b(x + 1.3); }
float d(float x) { return c(x) + c(x + 2.1) * c(x + 2.2) - c(x + 2.3); }
float e(float x) { return d(x) + d(x + 3.1) * d(x + 3.2) - d(x + 3.3); }
float f(float x) { return e(x) + e(x + 4.1) * e(x + 4.2) - e(x + 4.3); }
void main() {
    color = vec4(f(gl_FragCoord.x));
}
