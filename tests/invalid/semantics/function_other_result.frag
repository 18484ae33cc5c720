// ERROR: E0410 5:6
#version 300 es
precision mediump float;
float f(float x);
vec2 f(float x) { return vec2(x); }
out vec4 color;
void main() {
    color = vec4(f(1.0));
}
