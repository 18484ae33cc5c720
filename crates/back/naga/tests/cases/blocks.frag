#version 310 es
precision highp float;
precision highp int;
layout(location = 0) out vec4 colour;

struct Part { float a; vec3 b; float c[2]; mat2 d; };

layout(std140, binding = 0) uniform Things {
    float first;
    vec3 second;
    bool third;
    mat2 fourth;
    layout(row_major) mat3 fifth;
    float sixth[3];
    vec2 seventh[2];
    Part parts[2];
    layout(row_major) mat2x3 eighth;
    Part single;
    vec2 ninth;
    float tenth;
};
layout(std140, row_major, binding = 1) uniform Other { mat4 m; mat3x2 n; layout(column_major) mat3x2 o; ivec3 p[2]; } other;

void main() {
    int i = int(gl_FragCoord.x) % 2;
    int j = int(gl_FragCoord.y) % 3;
    float r = first + second.z + (third ? 10.0 : 20.0) + fourth[i].x + fifth[j].y + fifth[0][j] + sixth[j] + seventh[i].y;
    Part p = parts[i];
    r += p.a + p.b.y + p.c[i] + p.d[1][i];
    float s = parts[1].d[i].x + parts[i].b[j] + single.c[1] + ninth.y + tenth + eighth[i].z + eighth[1][j];
    s += dot(second.zy, ninth.yx) + (fifth * second).x + (second * fifth).y;
    float t = other.m[j].w + other.m[1][j] + other.n[j].x + other.o[j].y + (other.m * vec4(1.0, 2.0, 3.0, 4.0))[j];
    t += float(other.p[i].z + other.p[1][j]);
    colour = vec4(r, s, t, 1.0);
}
