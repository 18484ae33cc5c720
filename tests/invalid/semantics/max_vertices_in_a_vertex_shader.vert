#version 450
// ERROR: E0404 4:8
// REFUSED BY: glslangValidator
layout(max_vertices = 3) out;
void main() {
    gl_Position = vec4(1);
}
