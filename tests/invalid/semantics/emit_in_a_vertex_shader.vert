#version 450
// ERROR: E0311 6:5
// REFUSED BY: glslangValidator
void main() {
    gl_Position = vec4(1);
    EmitVertex();
}
