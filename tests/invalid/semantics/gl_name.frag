// ERROR: E0412 6:11
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float gl_mine = 1.0;
    color = vec4(gl_mine);
}
