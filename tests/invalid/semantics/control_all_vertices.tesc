#version 450
// ERROR: E0308 6:5
layout(vertices = 3) out;
layout(location = 0) out float n[];
void main() {
    n = float[3](1.0, 2.0, 3.0);
}
