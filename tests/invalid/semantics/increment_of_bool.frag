// ERROR: E0302 7:5
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    bool b = true;
    b++;
    color = vec4(1.0);
}
