#version 450
// ERROR: E0401 6:22
// REFUSED BY: glslangValidator
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) patch in vec3 n;
void main() {
    EmitVertex();
}
