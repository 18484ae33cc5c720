// error: E1101 10
// One round more than the limit.
#version 300 es
precision highp float;
precision highp int;
out vec4 color;
void main() {
    float sum = 0.0;
    float x = gl_FragCoord.x;
    for (int i = 0; i < 4097; ++i)
        sum += x;
    color = vec4(sum);
}
