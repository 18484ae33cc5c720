#version 450
// ERROR: E0311 6:5
// REFUSED BY: glslangValidator
layout(vertices = 3) out;
void wait() {
    barrier();
}
void main() {
    wait();
}
