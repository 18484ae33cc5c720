// ERROR: E0310 6:9
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    if (1) color = vec4(1.0);
}
