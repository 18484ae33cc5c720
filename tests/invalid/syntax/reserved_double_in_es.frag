// ERROR: E0203 6:5
#version 300 es
precision mediump float;
out vec4 colour;
void main() {
    double d = 1.0;
    colour = vec4(d);
}
