// ERROR: E0308 12:18
// ERROR: E0308 13:5
// ERROR: E0308 14:7
// ERROR: E0308 15:5
#version 310 es
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Data {
    uint count;
    writeonly uint log[];
} data;
void main() {
    data.count = data.log[0];
    data.log[1] += 1u;
    ++data.log[1];
    data.log[2]++;
    data.log[data.count] = data.count + uint(data.log.length());
}
