// ERROR: E0411 4:18
#version 310 es
layout(local_size_x = 1) in;
buffer B { float x[]; float y; };
void main() {
    y = x[0];
}
