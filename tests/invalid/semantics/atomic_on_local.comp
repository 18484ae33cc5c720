// ERROR: E0308 6:15
#version 310 es
layout(local_size_x = 1) in;
void main() {
    uint x = 0u;
    atomicAdd(x, 1u);
}
