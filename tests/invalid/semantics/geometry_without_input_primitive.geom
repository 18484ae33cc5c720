#version 450
// ERROR: E0404 5:6
// REFUSED BY: glslangValidator
layout(triangle_strip, max_vertices = 3) out;
void main() {
    EmitVertex();
}
