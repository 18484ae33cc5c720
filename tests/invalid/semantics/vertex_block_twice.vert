// ERROR: E0408 5:5
// REFUSED BY: glslangValidator
#version 150
out gl_PerVertex { vec4 gl_Position; };
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; };
void main() { gl_Position = vec4(0.0); }
