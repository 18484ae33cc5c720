// error: E1106 11
// with: --limit flat_nodes=20000
// Three loops of 100 rounds are a million.
#version 300 es
precision highp float;
precision highp int;
out vec4 color;
void main() {
    float sum = 0.0;
    for (int z = 0; z < 100; ++z)
        for (int y = 0; y < 100; ++y)
            for (int x = 0; x < 100; ++x)
                sum = sum * 0.99 + sin(gl_FragCoord.x * float(x) + gl_FragCoord.y * float(y + z));
    color = vec4(sum);
}
