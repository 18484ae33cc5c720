#version 330 core
in vec2 uv[];
uniform float weights[];
out vec4 color;
float table[];
void main() {
    float local[];
    local[1] = weights[2];
    table[4] = local[1] + table[1];
    color = vec4(uv[1], table[4], weights[0]);
}
