#version 450
layout(points) in;
layout(points, max_vertices = 8) out;
layout(stream = 0, location = 0) out vec4 first;
layout(stream = 1, location = 1) out float second;
layout(location = 0) in vec4 colour[];
void main() {
    for (int i = 0; i < 4; i++) {
        first = colour[0] * float(i);
        gl_Position = gl_in[0].gl_Position;
        EmitStreamVertex(0);
        EndStreamPrimitive(0);
        second = colour[0].x + float(i);
        EmitStreamVertex(1);
        EndStreamPrimitive(1);
    }
}
