#version 450
// ERROR: E0404 4:6
// REFUSED BY: glslangValidator
void main() {
    gl_Position = gl_in[0].gl_Position;
}
