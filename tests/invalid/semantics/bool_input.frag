// ERROR: E0407 4:9
#version 300 es
precision mediump float;
in bool b;
out vec4 color;
void main() {
    color = vec4(b);
}
