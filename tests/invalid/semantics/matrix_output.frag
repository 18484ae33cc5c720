// ERROR: E0407 4:10
#version 300 es
precision mediump float;
out mat2 color;
void main() {
    color = mat2(1.0);
}
