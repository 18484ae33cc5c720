// ERROR: E0308 7:5
#version 300 es
precision mediump float;
uniform B { float k; };
out vec4 color;
void main() {
    k = 2.0;
    color = vec4(k);
}
