// ERROR: E0411 8:19
// REFUSED BY: glslangValidator
#version 120
uniform int number;
void main() {
    vec4 rows[];
    rows[0] = rows[1] = gl_Vertex;
    gl_Position = rows[number];
}
