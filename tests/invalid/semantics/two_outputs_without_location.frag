// ERROR: E0404 4:10
#version 300 es
precision mediump float;
out vec4 a;
out vec4 b;
void main() {
    a = b = vec4(1.0);
}
