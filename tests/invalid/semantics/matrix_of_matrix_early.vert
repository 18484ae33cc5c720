// ERROR: E0305 6:18
// REFUSED BY: glslangValidator
#version 110
uniform mat3 turn;
void main() {
    mat4 whole = mat4(turn);
    gl_Position = whole * gl_Vertex;
}
