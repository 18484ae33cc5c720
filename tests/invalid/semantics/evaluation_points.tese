#version 450
// ERROR: E0404 4:8
// REFUSED BY: glslangValidator
layout(points) in;
void main() {
    gl_Position = gl_in[0].gl_Position;
}
