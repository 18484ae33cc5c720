// ERROR: E0401 4:1
#version 300 es
precision mediump float;
inout float x;
out vec4 color;
void main() {
    color = vec4(1.0);
}
