#version 320 es
// no picture: the test cannot feed an array of samplers.
precision highp float;
precision highp int;
out vec4 colour;
struct Layer { sampler2D maps[2]; float weight; };
uniform sampler2D several[3];
uniform Layer layers[2];
uniform int chosen;
vec4 pick(sampler2D s[3], int i, vec2 uv) { return texture(s[i], uv); }
void main() {
    vec2 uv = gl_FragCoord.xy / 16.0;
    colour = texture(several[chosen], uv) + pick(several, chosen + 1, uv) + texture(layers[chosen].maps[1 - chosen], uv)
        + texelFetch(several[chosen], ivec2(uv), 0) * layers[chosen].weight + vec4(textureSize(several[chosen], 0), 0, 1);
}
