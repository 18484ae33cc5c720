#version 300 es
// write: es 300, desktop 330, desktop 450, es 100
precision highp float;
precision highp sampler3D;
precision highp sampler2DArray;
uniform sampler2D map;
uniform samplerCube sky;
uniform sampler3D volume;
uniform highp sampler2DShadow shadow;
uniform sampler2DArray layers;
uniform highp isampler2D numbers;
in vec4 p;
out vec4 color;
void main() {
    vec4 c = texture(map, p.xy) + texture(map, p.xy, 1.0) + textureLod(map, p.xy, 2.0);
    c += textureProj(map, p.xyw) + textureGrad(map, p.xy, dFdx(p.xy), dFdy(p.xy));
    c += textureOffset(map, p.xy, ivec2(1, -1)) + texelFetch(map, ivec2(p.xy), 0);
    c += texture(sky, p.xyz) * texture(volume, p.xyz) * texture(layers, vec3(p.xy, 2.0));
    c *= texture(shadow, p.xyz) + texture(shadow, vec3(p.xy, 0.5)) + textureProj(shadow, p);
    c.xy += vec2(textureSize(map, 0)) + vec2(texture(numbers, p.xy).xy);
    color = c;
}
