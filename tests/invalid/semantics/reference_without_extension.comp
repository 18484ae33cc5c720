#version 450
// ERROR: E0508 4:8
// REFUSED BY: glslangValidator
layout(buffer_reference) buffer Node {
    int v;
    float f;
};
void main() {}
