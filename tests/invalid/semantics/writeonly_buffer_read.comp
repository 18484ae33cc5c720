// ERROR: E0308 6:9
#version 310 es
layout(local_size_x = 1) in;
layout(std430, binding = 0) writeonly buffer B { float a; float b; };
void main() {
    a = b;
}
