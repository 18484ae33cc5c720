#version 450
// ERROR: E0407 6:30
// REFUSED BY: glslangValidator
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec3 n[2];
void main() {
    gl_Position = vec4(n[0], 1);
    EmitVertex();
}
