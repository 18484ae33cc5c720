#version 320 es
// write: es 320, desktop 450
layout(early_fragment_tests) in;
precision mediump float;
uniform highp vec4 size;
centroid in vec2 a;
flat in ivec2 b;
sample in vec3 c;
layout(location = 0) out vec4 color;
precise vec4 blend(vec4 x, vec4 y) { precise vec4 r = x * y + x; return r; }
void main() { color = blend(fma(size, size, vec4(a, b)), c.xyzz) + float(bitCount(b.x)) + interpolateAtCentroid(c).x; }
