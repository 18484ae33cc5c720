// ERROR: E0308 7:5
#version 300 es
precision mediump float;
float f() { return 1.0; }
out vec4 color;
void main() {
    f() = 2.0;
    color = vec4(1.0);
}
