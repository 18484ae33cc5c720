#version 450
// ERROR: E0404 4:8
// REFUSED BY: glslangValidator
layout(vertices = 0) out;
void main() {
    gl_TessLevelOuter[0] = 1.0;
}
