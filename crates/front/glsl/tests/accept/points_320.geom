#version 320 es
precision highp float;
layout(lines_adjacency) in;
layout(points, max_vertices = 1) out;
in vec2 v[];
in vec4 w[4];
out vec4 c;
void main() {
    gl_Position = gl_in[0].gl_Position + gl_in[3].gl_Position;
    c = vec4(v[0] + v[3], v[1]) + w[2];
    if (c.x > 0.0) {
        EmitVertex();
    }
}
