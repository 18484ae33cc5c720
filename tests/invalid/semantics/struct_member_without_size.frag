// ERROR: E0317 4:18
#version 300 es
precision mediump float;
struct S { float a[]; };
out vec4 color;
void main() {
    color = vec4(1.0);
}
