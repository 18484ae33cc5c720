#version 450
// ERROR: E0301 5:19
// REFUSED BY: glslangValidator
void main() {
    gl_Position = gl_in[0].gl_Position;
}
