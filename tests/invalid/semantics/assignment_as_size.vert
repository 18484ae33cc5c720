// ERROR: E0309 6:15
// REFUSED BY: glslangValidator
#version 330
void main() {
    int x;
    vec4 rows[(x = 3)];
    rows[0] = vec4(x);
    gl_Position = rows[0];
}
