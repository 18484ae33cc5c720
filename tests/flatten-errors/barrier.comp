// error: E1103 6
// Waiting for the other invocations.
#version 310 es
layout(local_size_x = 4) in;
void main() {
    barrier();
}
