// ERROR: E0201 10:5
#version 300 es
precision mediump float;
out vec4 colour;
void main() {
    float a = 1.0;
    do {
        a *= 0.5;
    }
    colour = vec4(a);
}
