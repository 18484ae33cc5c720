// ERROR: E0312 4:14
#version 300 es
precision mediump float;
uniform void x;
out vec4 color;
void main() {
    color = vec4(1.0);
}
