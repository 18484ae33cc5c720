// ERROR: E0307 8:20
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    struct S { float a; };
    S s = S(1.0);
    color = vec4(s.b);
}
