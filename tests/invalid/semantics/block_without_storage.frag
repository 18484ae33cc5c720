// ERROR: E0201 4:1
#version 300 es
precision mediump float;
B { float x; };
out vec4 color;
void main() {
    color = vec4(1.0);
}
