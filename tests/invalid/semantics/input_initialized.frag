// ERROR: E0406 4:14
#version 300 es
precision mediump float;
in float u = 1.0;
out vec4 color;
void main() {
    color = vec4(u);
}
