#version 450
// ERROR: E0407 5:31
// REFUSED BY: glslangValidator
layout(vertices = 3) out;
layout(location = 0) out vec3 n;
void main() {
    n = vec3(1);
}
