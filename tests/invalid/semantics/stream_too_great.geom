#version 450
// ERROR: E0404 5:8
// ERROR: E0309 10:22
// ERROR: E0404 11:5
layout(stream = 9, location = 0) out vec4 c; layout(points, max_vertices = 3) out;
layout(points) in;
void main() {
    c = vec4(1);
    int i = 1;
    EmitStreamVertex(i);
    EndStreamPrimitive(4);
}
