// error: E1101 10
// with: --limit flat_iterations=64
// A loop without a condition in a helper, left by `return` alone.
#version 300 es
precision highp float;
precision highp int;
out vec4 color;
int digits(float x) {
    int count = 0;
    while (true) {
        if (x < 10.0) return count;
        x /= 10.0;
        ++count;
    }
    return 0;
}
void main() {
    color = vec4(float(digits(gl_FragCoord.x)));
}
