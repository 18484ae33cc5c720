// ERROR: E0404 4:8
#version 300 es
precision mediump float;
layout(binding = 0) uniform sampler2D t;
out vec4 color;
void main() {
    color = texture(t, vec2(0.0));
}
