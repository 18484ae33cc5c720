#version 300 es
// write: es 100, desktop 120
precision highp float;
uniform mat3 m;
uniform vec3 v;
uniform int k;
out vec4 color;
void main() {
    vec3 a = round(v) + trunc(v) + sinh(v) + cosh(v) + tanh(v) + asinh(v) + acosh(v) + atanh(v);
    mat3 n = inverse(m) * transpose(m) * determinant(m) * outerProduct(v, a);
    float whole;
    float part = modf(a.x, whole);
    bool odd = isnan(whole) || isinf(part);
    color = vec4(n * a, float(k % 3) + part - whole + roundEven(a.y)) * (odd ? 1.0 : 0.0);
}
