// ERROR: E0302 7:24
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    bool a = true;
    color = vec4(float(a + a));
}
