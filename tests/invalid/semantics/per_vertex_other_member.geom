#version 450
// ERROR: E0408 7:10
// REFUSED BY: glslangValidator
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in gl_PerVertex {
    vec4 gl_Layer;
} gl_in[];
void main() {
    EmitVertex();
}
