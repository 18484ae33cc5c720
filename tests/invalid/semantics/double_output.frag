// ERROR: E0407 4:11
// REFUSED BY: glslangValidator
#version 450
out dvec2 color;
void main() { color = dvec2(0.5); }
