// ERROR: E0411 4:19
#version 300 es
precision mediump float;
uniform B { float x[]; };
out vec4 color;
void main() {
    color = vec4(1.0);
}
