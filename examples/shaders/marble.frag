#version 300 es
// Marble: noise that bends noise that bends the veins.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

vec2 gradient(ivec2 p) {
    uint h = uint(p.x) * 374761393u + uint(p.y) * 668265263u;
    h = (h ^ (h >> 13u)) * 1274126177u;
    float angle = float((h ^ (h >> 16u)) & 0xffu) * (6.2831853 / 256.0);
    return vec2(cos(angle), sin(angle));
}

float noise(vec2 p) {
    ivec2 i = ivec2(floor(p));
    vec2 f = p - vec2(i);
    vec2 u = f * f * (3.0 - 2.0 * f);
    float a = dot(gradient(i), f);
    float b = dot(gradient(i + ivec2(1, 0)), f - vec2(1.0, 0.0));
    float c = dot(gradient(i + ivec2(0, 1)), f - vec2(0.0, 1.0));
    float d = dot(gradient(i + ivec2(1, 1)), f - vec2(1.0, 1.0));
    return mix(mix(a, b, u.x), mix(c, d, u.x), u.y);
}

float layers(vec2 p) {
    return noise(p) + 0.5 * noise(2.1 * p + 5.2) + 0.25 * noise(4.3 * p - 1.7);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 3.0;
    vec2 warp = vec2(layers(p), layers(p + vec2(5.2, 1.3)));
    float stone = layers(p + 1.8 * warp);
    float vein = abs(sin(2.5 * p.x + 1.5 * p.y + 5.0 * stone));
    vein = 1.0 - pow(vein, 0.35);
    vec3 body = mix(vec3(0.93, 0.91, 0.88), vec3(0.72, 0.74, 0.76), smoothstep(-0.4, 0.6, stone));
    body = mix(body, vec3(0.25, 0.27, 0.30), 0.9 * vein);
    body += vec3(0.10, 0.06, 0.0) * smoothstep(0.1, 0.5, warp.x);
    color = vec4(body, 1.0);
}
