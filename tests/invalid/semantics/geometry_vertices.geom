#version 450
// ERROR: E0404 6:8
// REFUSED BY: glslangValidator
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(vertices = 3) out;
void main() {
    EmitVertex();
}
