// ERROR: E0301 6:24
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    color = vec4(float(gl_VertexID));
}
