// ERROR: E0206 3:1
#version 450
subroutine vec4 Shade(vec3 normal);
layout(location = 0) out vec4 colour;
void main() {
    colour = vec4(1.0);
}
