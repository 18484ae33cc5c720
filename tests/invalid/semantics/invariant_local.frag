// ERROR: E0401 6:5
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    invariant float x = 1.0;
    color = vec4(x);
}
