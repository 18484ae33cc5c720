#version 450
// ERROR: E0404 4:6
// REFUSED BY: glslangValidator
void main() {
    gl_TessLevelOuter[0] = 1.0;
}
