// ERROR: E0307 6:23
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    color = mat4(1.0).xyzw;
}
