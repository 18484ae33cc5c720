#version 450
// ERROR: E0308 7:5
// REFUSED BY: glslangValidator
layout(vertices = 3) out;
layout(location = 0) out vec3 n[];
void main() {
    n[0] = vec3(1);
}
