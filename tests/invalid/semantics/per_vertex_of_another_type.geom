#version 450
// ERROR: E0408 7:10
// REFUSED BY: glslangValidator
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in gl_PerVertex {
    vec3 gl_Position;
} gl_in[];
void main() {
    EmitVertex();
}
