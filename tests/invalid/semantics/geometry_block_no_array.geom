#version 450
// ERROR: E0407 6:44
// REFUSED BY: glslangValidator
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in Vertex { vec3 n; } v;
void main() {
    gl_Position = vec4(v.n, 1);
    EmitVertex();
}
