// error: E1106 12
// with: --limit flat_nodes=20000
// All of it is constant, so nothing is written, but it would take 64 billion steps to find out. A few hundred show that.
#version 300 es
precision highp float;
precision highp int;
out vec4 color;
void main() {
    int sum = 0;
    for (int z = 0; z < 4000; ++z)
        for (int y = 0; y < 4000; ++y)
            for (int x = 0; x < 4000; ++x) sum += x;
    color = vec4(sum);
}
