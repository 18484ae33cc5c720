// ERROR: E0411 7:24
// REFUSED BY: glslangValidator
#version 120
void main() {
    float steps[];
    steps[2] = 1.0;
    gl_Position = vec4(steps.length());
}
