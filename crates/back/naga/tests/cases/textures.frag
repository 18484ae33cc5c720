#version 320 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp samplerCube;
out vec4 colour;
struct Layer { sampler2D map; float weight; vec2 offset; };
uniform sampler2D plain;
uniform sampler2D s0;
uniform sampler2D s1;
uniform sampler2D s2;
uniform Layer layers[2];
uniform samplerCube sky;

vec4 twice(sampler2D t, vec2 uv) { return texture(t, uv) + texture(t, uv.yx); }
vec4 indirect(sampler2D t, vec2 uv) { return twice(t, uv); }

void main() {
    vec2 uv = gl_FragCoord.xy / 16.0;
    vec4 r = texture(plain, uv) + texture(s0, uv) * 2.0 + textureLod(s2, uv, 0.0) * 3.0;
    r += twice(s1, uv) + indirect(s2, uv * 0.5);
    for (int i = 0; i < 2; i++) { r += texture(plain, uv + layers[i].offset) * layers[i].weight; }
    r += texture(layers[0].map, uv + layers[0].offset) * layers[1].weight + texture(layers[1].map, uv);
    r += texelFetch(plain, ivec2(gl_FragCoord.xy) % textureSize(plain, 0), 0);
    r += textureProj(plain, vec3(uv, 2.0)) + textureProj(plain, vec4(uv, 5.0, 4.0)) + textureOffset(plain, uv, ivec2(1, 0));
    r += textureGrad(plain, uv, vec2(0.01, 0.0), vec2(0.0, 0.01));
    r += texture(sky, vec3(uv - 0.5, 0.4));
    r += vec4(textureSize(s1, 0), textureSize(sky, 0));
    r.xy += dFdx(uv) * 10.0 + fwidth(uv.yx);
    colour = r;
}
