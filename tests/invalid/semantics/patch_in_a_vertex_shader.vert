#version 450
// ERROR: E0401 4:22
// REFUSED BY: glslangValidator
layout(location = 0) patch out vec4 p;
void main() {
    gl_Position = p = vec4(1);
}
