// ERROR: E0203 5:10
#version 310 es
layout(local_size_x = 8) in;
void main() {
    uint buffer = 1u;
    buffer = buffer + 1u;
}
