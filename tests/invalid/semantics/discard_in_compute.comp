// ERROR: E0314 5:5
#version 310 es
layout(local_size_x = 1) in;
void main() {
    discard;
}
