#version 450
// ERROR: E0311 8:5
layout(points) in;
layout(triangle_strip, max_vertices = 3) out;
layout(stream = 1, location = 0) out vec4 c;
void main() {
    c = vec4(1);
    EmitStreamVertex(1);
}
