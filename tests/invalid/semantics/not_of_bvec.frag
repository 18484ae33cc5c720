// ERROR: E0302 6:15
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    bvec2 b = !bvec2(true);
    color = vec4(b.x);
}
