#version 320 es
precision mediump float;
precision lowp int;
layout(early_fragment_tests) in;
uniform lowp sampler2D map;
uniform struct { vec2 a; mediump sampler2D s[2]; lowp sampler2D t; } parts[2];
in highp vec2 uv;
in mediump vec4 tint;
layout(location = 0) out lowp vec4 colour;
layout(location = 1) out ivec2 marks;
int helper(int n) { if (n > 3) { discard; } return n << 1; }
void main() {
    vec4 c = texture(map, uv) * tint;
    for (int i = 0; i < 2; i++) { c += texture(parts[i].s[1], uv) + texture(parts[1 - i].t, parts[i].a); }
    if (c.a < 0.5) discard;
    marks = ivec2(helper(int(c.r * 9.0)), 1);
    colour = c;
}
