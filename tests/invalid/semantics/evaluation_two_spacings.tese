#version 450
// ERROR: E0404 5:8
// REFUSED BY: glslangValidator
layout(triangles, equal_spacing) in;
layout(fractional_odd_spacing) in;
void main() {
    gl_Position = gl_in[0].gl_Position;
}
