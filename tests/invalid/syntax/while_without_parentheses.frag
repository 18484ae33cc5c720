// ERROR: E0201 7:11
#version 300 es
precision mediump float;
out vec4 colour;
void main() {
    float a = 1.0;
    while a > 0.1 {
        a *= 0.5;
    }
    colour = vec4(a);
}
