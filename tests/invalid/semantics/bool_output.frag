// ERROR: E0407 4:10
#version 300 es
precision mediump float;
out bool color;
void main() {
    color = true;
}
