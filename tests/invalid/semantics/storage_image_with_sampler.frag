// ERROR: E0305 7:21
#version 450
layout(set = 0, binding = 0) writeonly uniform image2D i;
layout(set = 0, binding = 1) uniform sampler s;
layout(location = 0) out vec4 color;
void main() {
    color = texture(sampler2D(i, s), vec2(0.0));
}
