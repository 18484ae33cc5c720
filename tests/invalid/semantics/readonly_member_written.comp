// ERROR: E0308 14:5
// ERROR: E0308 15:5
// ERROR: E0308 16:7
// ERROR: E0308 17:10
#version 310 es
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Data {
    readonly uint count;
    uint total;
    readonly vec4 points[4];
} data[2];
void take(out uint x) { x = 1u; }
void main() {
    data[0].count = 1u;
    data[1].points[2].x = 1.0;
    ++data[0].count;
    take(((data[0].count)));
    data[0].total = data[1].count + uint(data[0].points.length());
}
