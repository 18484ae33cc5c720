#version 450
// ERROR: E0407 5:30
// REFUSED BY: glslangValidator
layout(triangles) in;
layout(location = 0) in vec3 n;
void main() {
    gl_Position = vec4(n, 1);
}
