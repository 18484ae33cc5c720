// ERROR: E0308 7:5
#version 300 es
precision mediump float;
uniform sampler2D t;
out vec4 color;
void main() {
    t = t;
    color = vec4(1.0);
}
