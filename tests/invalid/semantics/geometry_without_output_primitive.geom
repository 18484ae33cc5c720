#version 450
// ERROR: E0404 6:6
// REFUSED BY: glslangValidator
layout(triangles) in;
layout(max_vertices = 3) out;
void main() {
    EmitVertex();
}
