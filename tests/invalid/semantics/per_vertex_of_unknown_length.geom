#version 450
// ERROR: E0301 8:27
// REFUSED BY: glslangValidator
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in gl_PerVertex {
    vec4 gl_Position;
    float gl_ClipDistance[m];
} gl_in[];
void main() {
    EmitVertex();
}
