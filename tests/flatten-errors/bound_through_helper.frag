// error: E1101 10
// with: --limit flat_iterations=64
// A helper's loop has a bound in one call and none in the other.
#version 300 es
precision highp float;
precision highp int;
out vec4 color;
float sum(int count) {
    float s = 0.0;
    for (int i = 0; i < count; ++i)
        s += 1.0 / float(i + 1);
    return s;
}
void main() {
    color = vec4(sum(8), sum(int(gl_FragCoord.x)), 0.0, 1.0);
}
