// ERROR: E0301 5:1
// ERROR: E0201 5:10
#version 300 es
precision mediump float;
buffer B { float x; };
out vec4 color;
void main() {
    color = vec4(1.0);
}
