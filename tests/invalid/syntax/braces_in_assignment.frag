// ERROR: E0201 6:15
#version 450
out vec4 colour;
void main() {
    float weights[2];
    weights = { 0.5, 0.5 };
    colour = vec4(weights[0]);
}
