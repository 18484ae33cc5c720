// ERROR: E0311 5:24
#version 300 es
in float x;
void main() {
    gl_Position = vec4(dFdx(x));
}
