// error: E1103 15
// Under a condition, so that it is met in order: then nothing is gained by writing out the rest.
#version 310 es
precision highp float;
precision highp int;
layout(std430, binding = 0) buffer Sums { float sums[]; };
uniform int n;
out vec4 color;
void main() {
    if (gl_FragCoord.x > 9.0) {
        color = vec4(0.0);
        return;
    }
    if (n > 3)
        sums[n] = 1.0;
    float sum = 0.0;
    for (int z = 0; z < 1000; ++z)
        for (int y = 0; y < 1000; ++y)
            for (int x = 0; x < 1000; ++x)
                sum = sum * 0.5 + gl_FragCoord.x * float(x);
    color = vec4(sum);
}
