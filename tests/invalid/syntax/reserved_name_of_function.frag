// ERROR: E0203 5:6
#version 300 es
precision mediump float;
out vec4 colour;
vec3 filter(vec3 c) { return c * 0.5; }
void main() {
    colour = vec4(filter(vec3(1.0)), 1.0);
}
