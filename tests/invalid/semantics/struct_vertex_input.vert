// ERROR: E0407 4:6
#version 300 es
struct S { vec4 p; };
in S s;
void main() {
    gl_Position = s.p;
}
