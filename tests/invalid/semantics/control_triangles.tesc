#version 450
// ERROR: E0404 5:8
// REFUSED BY: glslangValidator
layout(vertices = 3) out;
layout(triangles) in;
void main() {
    gl_TessLevelOuter[0] = 1.0;
}
