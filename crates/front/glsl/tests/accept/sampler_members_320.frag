#version 320 es
precision mediump float;
struct Light {
    vec3 dir;
    sampler2D cookies[2];
};
uniform Light lights[3];
uniform Light single;
in vec2 uv;
out vec4 color;
vec3 look(sampler2D map, vec2 p) {
    return texture(map, p).rgb;
}
vec3 apply(const Light light, vec2 p, const Light, float k) {
    return light.dir * look(light.cookies[1], p) * k;
}
void main() {
    vec3 c = vec3(0.0);
    for (int i = 0; i < 3; i++) {
        c += apply(lights[i], uv, lights[2], 0.5);
        for (int j = 0; j < 2; j++) {
            c += look(lights[i].cookies[j], uv) + apply(single, uv, lights[j], 2.0);
        }
    }
    color = vec4(c, 1.0);
}
