// error: E1103 16
// error: E1103 17
// The barrier is reached whatever happens, so the million iterations before it are not written out first.
#version 310 es
precision highp float;
precision highp int;
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer Source { float source[]; };
shared float taken[4];
void main() {
    float sum = 0.0;
    for (int z = 0; z < 1000; ++z)
        for (int y = 0; y < 1000; ++y)
            sum = sum * 0.5 + source[z * 1000 + y];
    if (sum > 1.0) sum = 1.0;
    barrier();
    taken[0] = sum;
}
