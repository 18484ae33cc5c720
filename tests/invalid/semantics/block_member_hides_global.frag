// ERROR: E0304 5:19
#version 300 es
precision mediump float;
uniform float x;
uniform B { float x; };
out vec4 color;
void main() {
    color = vec4(x);
}
