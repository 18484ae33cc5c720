// ERROR: E0508 10:33
#version 320 es
precision mediump float;
struct Texture { sampler2D map; };
uniform Texture all[4];
uniform int which;
out vec4 color;
vec4 at(sampler2D map) { return texture(map, vec2(0.5)); }
void main() {
    color = at(all[1].map) + at(all[which].map);
}
