#version 450
// ERROR: E0401 5:22
// REFUSED BY: glslangValidator
layout(vertices = 3) out;
layout(location = 0) patch in vec3 n;
void main() {
    gl_TessLevelOuter[0] = n.x;
}
