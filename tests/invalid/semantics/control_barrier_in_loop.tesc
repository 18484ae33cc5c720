#version 450
// ERROR: E0311 7:9
// REFUSED BY: glslangValidator
layout(vertices = 3) out;
void main() {
    for (int i = 0; i < 3; ++i) {
        barrier();
    }
}
