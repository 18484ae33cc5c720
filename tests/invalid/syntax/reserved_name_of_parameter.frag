// ERROR: E0203 5:15
#version 300 es
precision mediump float;
out vec4 colour;
float f(float active) { return active * 0.5; }
void main() {
    colour = vec4(f(1.0));
}
