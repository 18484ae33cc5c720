// ERROR: E0311 9:5
// REFUSED BY: glslangValidator
#version 400
layout(vertices = 3) out;
uniform bool done;
void main() {
    gl_out[gl_InvocationID].gl_Position = vec4(0.0);
    if (done) return;
    barrier();
}
