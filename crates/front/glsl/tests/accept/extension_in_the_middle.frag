#version 400
in float x;
out vec4 color;
float plain() {
    return dFdx(x);
}
float fine() {
#extension GL_ARB_derivative_control : enable
    return dFdxFine(x);
}
#extension GL_ARB_derivative_control : disable
void main() {
    float dFdxFine = plain();
    color = vec4(dFdxFine + fine());
}
