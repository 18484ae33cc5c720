#version 450
// ERROR: E0308 6:5
// REFUSED BY: glslangValidator
layout(triangles) in;
void main() {
    gl_TessLevelOuter[0] = 1.0;
}
