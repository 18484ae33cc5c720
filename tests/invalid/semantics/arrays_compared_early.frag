// ERROR: E0311 8:25
// REFUSED BY: glslangValidator
#version 110
void main() {
    float a[2];
    float b[2];
    a[0] = a[1] = b[0] = b[1] = 1.0;
    gl_FragColor = vec4(a == b);
}
