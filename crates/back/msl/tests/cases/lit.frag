#version 450
layout(location = 0) in vec2 coordinate;
layout(location = 1) flat in int id;
layout(location = 2) noperspective centroid in vec3 away;
layout(binding = 0) uniform sampler2D albedo;
layout(binding = 1) uniform sampler2DArrayShadow shadow;
layout(binding = 2) uniform sampler2D layers[2];
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 bright;
vec3 offsets[3] = vec3[](vec3(1.0), vec3(0.5), vec3(0.25));
int uses = 0;
vec3 look(vec2 at) {
    uses++;
    return texture(albedo, at).rgb * offsets[uses];
}
void main() {
    if (away.z > 10.0) discard;
    float lit = texture(shadow, vec4(coordinate, float(id), 0.5));
    vec4 gathered = textureGather(layers[1], coordinate, 2);
    color = vec4(look(coordinate) + look(coordinate * 2.0), lit) + textureLod(layers[0], coordinate, 1.0);
    bright = gathered + texelFetch(albedo, ivec2(id, 3), 0) + vec4(dFdx(coordinate), vec2(textureSize(albedo, 0)));
    gl_FragDepth = gl_FragCoord.z;
}
