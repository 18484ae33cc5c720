#version 460
// ERROR: E0205 5:5
// REFUSED BY: glslangValidator
void main() {
    rayQueryEXT q;
}
