#version 450
// ERROR: E0311 7:9
// REFUSED BY: glslangValidator
layout(vertices = 3) out;
void main() {
    if (gl_InvocationID == 0) {
        barrier();
    }
}
