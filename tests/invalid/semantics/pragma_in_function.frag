// ERROR: E0104 6:1
#version 330
out vec4 color;
void main() {
    color = vec4(1.0);
#pragma optimize(off)
}
