#version 450
// ERROR: E0306 8:26
// REFUSED BY: glslangValidator
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec3 n[];
void main() {
    gl_Position = vec4(n[3], 1);
    EmitVertex();
}
