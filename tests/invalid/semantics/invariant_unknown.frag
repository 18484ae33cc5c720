// ERROR: E0301 4:11
#version 300 es
precision mediump float;
invariant nothing;
out vec4 color;
void main() {
    color = vec4(1.0);
}
