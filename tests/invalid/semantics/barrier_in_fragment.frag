// ERROR: E0311 6:5
#version 310 es
precision mediump float;
out vec4 color;
void main() {
    barrier();
    color = vec4(1.0);
}
