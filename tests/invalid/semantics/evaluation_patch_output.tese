#version 450
// ERROR: E0401 5:22
// REFUSED BY: glslangValidator
layout(triangles) in;
layout(location = 0) patch out vec3 n;
void main() {
    n = vec3(1);
}
