// ERROR: E0318 7:18
#version 450
layout(location = 0) out vec4 color;
float f(float a, int b) { return 1.0; }
float f(int a, float b) { return 2.0; }
void main() {
    color = vec4(f(1, 2));
}
