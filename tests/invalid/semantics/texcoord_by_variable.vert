// ERROR: E0411 7:9
// REFUSED BY: glslangValidator
#version 110
uniform int count;
void main() {
    for (int i = 0; i < count; i++) {
        gl_TexCoord[i] = vec4(float(i));
    }
    gl_Position = gl_Vertex;
}
