// ERROR: E0305 7:18
#version 300 es
precision mediump float;
uniform sampler2D t;
out vec4 color;
void main() {
    color = vec4(t);
}
