// ERROR: E0203 8:10
#version 300 es
precision mediump float;
uniform sampler2D map;
in vec2 uv;
out vec4 colour;
void main() {
    vec4 sample = texture(map, uv);
    colour = sample * 2.0;
}
