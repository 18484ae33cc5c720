// ERROR: E0401 4:1
#version 310 es
precision mediump float;
shared float x;
out vec4 color;
void main() {
    color = vec4(1.0);
}
