// ERROR: E0403 3:10
#version 300 es
out vec4 color;
void main() {
    color = vec4(1.0);
}
