#version 450
// ERROR: E0301 6:14
// REFUSED BY: glslangValidator
layout(location = 0) out vec4 c;
void main() {
    c = vec4(gl_TessCoord, 1);
}
