// ERROR: E0408 7:5
// REFUSED BY: glslangValidator
#version 150
out gl_PerVertex { vec4 gl_Position; };
void main() {
    gl_Position = vec4(0.0);
    gl_PointSize = 2.0;
}
