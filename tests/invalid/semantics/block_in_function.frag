// ERROR: E0409 6:5
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    uniform B { float x; };
    color = vec4(x);
}
