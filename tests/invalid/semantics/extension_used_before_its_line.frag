// ERROR: E0311 6:25
// ERROR: E0311 12:25
#version 400
in float x;
out vec4 color;
float before() { return dFdxFine(x); }
#extension GL_ARB_derivative_control : enable
float between() {
    return dFdxFine(x);
}
#extension GL_ARB_derivative_control : disable
float behind() { return dFdxFine(x); }
void main() { color = vec4(before() + between() + behind()); }
