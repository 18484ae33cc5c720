// ERROR: E0302 9:11
#version 300 es
precision mediump float;
struct A { float x; };
struct B { float x; };
out vec4 color;
void main() {
    A a = A(1.0);
    B b = a;
    color = vec4(b.x);
}
