// ERROR: E0401 4:1
#version 310 es
layout(local_size_x = 1) in;
buffer float x;
void main() {
}
