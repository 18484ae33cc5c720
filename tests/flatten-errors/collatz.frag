// error: E1101 11
// with: --limit flat_iterations=64
// A loop of which nobody knows whether it ends.
#version 300 es
precision highp float;
precision highp int;
out vec4 color;
void main() {
    uint n = uint(gl_FragCoord.x) + 1u;
    uint rounds = 0u;
    while (n != 1u) {
        n = (n & 1u) == 0u ? n / 2u : 3u * n + 1u;
        rounds++;
    }
    color = vec4(float(rounds) / 128.0);
}
