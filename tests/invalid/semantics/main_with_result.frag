// ERROR: E0502 5:1
#version 300 es
precision mediump float;
out vec4 color;
int main() {
    color = vec4(1.0);
    return 0;
}
