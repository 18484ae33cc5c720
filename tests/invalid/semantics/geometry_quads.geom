#version 450
// ERROR: E0404 4:8
// REFUSED BY: glslangValidator
layout(quads) in;
layout(triangle_strip, max_vertices = 3) out;
void main() {
    EmitVertex();
}
