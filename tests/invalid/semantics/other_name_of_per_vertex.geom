#version 450
// ERROR: E0301 8:3
// REFUSED BY: glslangValidator
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in gl_PerVertex {
    vec4 gl_Position;
} vertices[];
void main() {
    gl_Position = vertices[0].gl_Position;
    EmitVertex();
}
