#version 450
// ERROR: E0311 7:9
// REFUSED BY: glslangValidator
layout(local_size_x = 4) in;
layout(binding = 0) buffer B { float x; };
void main() {
    x = dFdx(x);
}
