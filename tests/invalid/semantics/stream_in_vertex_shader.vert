#version 450
// ERROR: E0311 5:5
// REFUSED BY: glslangValidator
void main() {
    EmitStreamVertex(0);
}
