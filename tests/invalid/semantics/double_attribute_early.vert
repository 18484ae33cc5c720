// ERROR: E0407 4:10
// REFUSED BY: glslangValidator
#version 400
in dvec2 place;
void main() { gl_Position = vec4(place, 0.0, 1.0); }
