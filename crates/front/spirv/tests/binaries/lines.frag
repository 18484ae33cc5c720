#version 450
layout(location = 0) in float x;
layout(location = 0) out float y;
void main() {
    y = x;
    y = sin(x);
}
