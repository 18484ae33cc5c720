#version 450
// ERROR: E0308 7:5
// REFUSED BY: glslangValidator
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
void main() {
    gl_in[0].gl_Position = vec4(1);
    EmitVertex();
}
