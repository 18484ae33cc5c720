// ERROR: E0205 4:1
#version 300 es
precision mediump float;
shared float cache[8];
out vec4 colour;
void main() {
    colour = vec4(1.0);
}
