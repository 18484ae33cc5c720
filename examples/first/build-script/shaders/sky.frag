#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(std140, binding = 0) uniform Sky { vec3 zenith; float haze; };
void main() {
    color = vec4(mix(vec3(1.0), zenith, pow(uv.y, haze)), 1.0);
}
