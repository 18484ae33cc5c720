#version 450
// ERROR: E0308 7:5
// REFUSED BY: glslangValidator
layout(vertices = 3) out;
void main() {
    int i = gl_InvocationID;
    gl_out[i].gl_Position = vec4(1);
}
