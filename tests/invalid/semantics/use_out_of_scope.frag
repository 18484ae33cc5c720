// ERROR: E0301 9:18
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    {
        float x = 1.0;
    }
    color = vec4(x);
}
