#version 450
// ERROR: E0404 5:8
// REFUSED BY: glslangValidator
layout(triangles) in;
layout(points) in;
layout(triangle_strip, max_vertices = 3) out;
void main() {
    EmitVertex();
}
