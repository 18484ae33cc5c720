// ERROR: E0401 5:11
#version 300 es
precision mediump float;
in float x;
invariant x;
out vec4 color;
void main() {
    color = vec4(x);
}
