#version 450
// ERROR: E0404 6:6
// REFUSED BY: glslangValidator
layout(triangles) in;
layout(triangle_strip) out;
void main() {
    EmitVertex();
}
