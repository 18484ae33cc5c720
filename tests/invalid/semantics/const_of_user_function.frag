// ERROR: E0309 7:21
#version 300 es
precision mediump float;
float f() { return 1.0; }
out vec4 color;
void main() {
    const float k = f();
    color = vec4(k);
}
