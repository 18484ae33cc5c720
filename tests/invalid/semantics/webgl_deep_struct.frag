// ERROR: E0505 8:8
// REFUSED BY: ANGLE
precision mediump float;
struct A { float x; };
struct B { A a; };
struct C { B b; };
struct D { C c; };
struct E { D d; };
void main() { gl_FragColor = vec4(1.0); }
