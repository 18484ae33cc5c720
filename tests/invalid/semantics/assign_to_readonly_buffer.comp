// ERROR: E0308 6:5
#version 310 es
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer B { float k; };
void main() {
    k = 1.0;
}
