#version 450
// ERROR: E0311 6:5
// REFUSED BY: glslangValidator
layout(triangles) in;
void main() {
    barrier();
}
