// ERROR: E0302 4:20
#version 300 es
precision mediump float;
float f() { return vec2(1.0); }
out vec4 color;
void main() {
    color = vec4(f());
}
