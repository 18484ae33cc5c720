#version 450
// ERROR: E0404 4:19
// REFUSED BY: glslangValidator
layout(triangles, equal_spacing) in;
layout(triangle_strip, max_vertices = 3) out;
void main() {
    EmitVertex();
}
