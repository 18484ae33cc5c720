// ERROR: E0203 6:5
#version 300 es
precision mediump float;
out vec4 colour;
void main() {
    unsigned int i = 1;
    colour = vec4(float(i));
}
