// ERROR: E0502 5:1
#version 300 es
precision mediump float;
out vec4 color;
void main(int x) {
    color = vec4(1.0);
}
