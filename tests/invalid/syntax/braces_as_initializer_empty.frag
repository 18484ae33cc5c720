// ERROR: E0201 5:25
#version 450
out vec4 colour;
void main() {
    float weights[3] = {};
    colour = vec4(weights[0]);
}
