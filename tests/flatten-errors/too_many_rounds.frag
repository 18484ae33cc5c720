// error: E1101 9
// A constant bound beyond the limit of rounds.
#version 300 es
precision highp float;
precision highp int;
out vec4 color;
void main() {
    float sum = 0.0;
    for (int i = 0; i < 5000; ++i)
        sum += gl_FragCoord.x / float(i + 1);
    color = vec4(sum);
}
