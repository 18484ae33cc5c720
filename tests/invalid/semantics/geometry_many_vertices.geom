#version 450
// ERROR: E0404 5:16
// REFUSED BY: glslangValidator
layout(points) in;
layout(points, max_vertices = 1000) out;
void main() {
    EmitVertex();
}
