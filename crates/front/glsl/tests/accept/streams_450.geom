#version 450
layout(points) in;
layout(points, max_vertices = 8) out;
layout(location = 0) in vec4 colour[];
layout(location = 0) out vec4 first;
layout(stream = 1) out;
layout(location = 1) out float second;
layout(stream = 2, location = 2) out Third {
    vec2 a;
    flat int b;
} third;
layout(stream = 0) out;

void main() {
    for (int i = 0; i < 4; i++) {
        first = colour[0] * float(i);
        gl_Position = gl_in[0].gl_Position;
        EmitStreamVertex(0);
        second = colour[0].x + float(i);
        EmitStreamVertex(1);
        EndStreamPrimitive(1);
        third.a = colour[0].xy;
        third.b = i;
        EmitStreamVertex(1 + 1);
    }
}
