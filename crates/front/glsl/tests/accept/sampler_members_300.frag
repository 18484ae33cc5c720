#version 300 es
precision mediump float;
struct Texture {
    sampler2D map;
    vec2 scale;
};
struct Material {
    vec4 color;
    Texture layers[2];
};
uniform Material material;
uniform Texture ground;
in vec2 uv;
out vec4 color;
vec4 plain(sampler2D map, vec2 p) {
    return texture(map, p);
}
vec4 scaled(Texture t, vec2 p) {
    return plain(t.map, p * t.scale);
}
vec4 shade(vec2 p, const in Material m) {
    return m.color * scaled(m.layers[0], p) + scaled(m.layers[1], p);
}
void main() {
    color = shade(uv, material) + scaled(ground, uv) + plain(material.layers[1].map, uv);
}
