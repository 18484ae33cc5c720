// ERROR: E0407 4:8
#version 300 es
precision mediump float;
in int i;
out vec4 color;
void main() {
    color = vec4(float(i));
}
