#version 300 es
// Sixteen spheres of a physically based material: rougher to the right, more metal upward.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const float PI = 3.14159265;

struct Material {
    vec3 base;
    float metal;
    float rough;
};

float distribution(float nh, float a2) {
    float d = nh * nh * (a2 - 1.0) + 1.0;
    return a2 / (PI * d * d);
}

float visibility(float nl, float nv, float a) {
    float k = 0.5 * a;
    return 0.25 / ((nl * (1.0 - k) + k) * (nv * (1.0 - k) + k));
}

vec3 light(Material m, vec3 n, vec3 v, vec3 l, vec3 power) {
    float nl = dot(n, l);
    if (nl <= 0.0) return vec3(0.0);
    vec3 h = normalize(l + v);
    float nv = max(dot(n, v), 0.01);
    float a = m.rough * m.rough;
    vec3 f0 = mix(vec3(0.04), m.base, m.metal);
    vec3 f = f0 + (1.0 - f0) * pow(1.0 - max(dot(h, v), 0.0), 5.0);
    vec3 specular = f * distribution(max(dot(n, h), 0.0), a * a) * visibility(nl, nv, a);
    vec3 diffuse = (1.0 - f) * (1.0 - m.metal) * m.base / PI;
    return (diffuse + specular) * power * nl;
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    vec2 cell = floor(uv * 4.0);
    vec2 p = (fract(uv * 4.0) * 2.0 - 1.0) * 1.12;
    float rest = 1.0 - dot(p, p);
    vec3 back = mix(vec3(0.035), vec3(0.09, 0.09, 0.10), uv.y);
    vec3 shade = back;
    if (rest > 0.0) {
        Material m = Material(vec3(0.95, 0.42, 0.20), cell.y / 3.0, 0.18 + 0.25 * cell.x);
        vec3 n = vec3(p, sqrt(rest));
        vec3 v = vec3(0.0, 0.0, 1.0);
        vec3 lit = light(m, n, v, normalize(vec3(cos(time), 1.0, 0.8)), vec3(3.2));
        lit += light(m, n, v, normalize(vec3(-1.0, 0.2, 0.5)), vec3(0.5, 0.7, 1.2));
        vec3 r = reflect(-v, n);
        vec3 room = mix(vec3(0.10, 0.08, 0.07), vec3(0.50, 0.62, 0.80), smoothstep(-0.5, 0.7, r.y));
        vec3 f0 = mix(vec3(0.04), m.base, m.metal);
        lit += room * (f0 * (1.0 - 0.5 * m.rough) + 0.3 * m.base * (1.0 - m.metal));
        shade = mix(back, lit, smoothstep(0.0, 0.05, rest));
    }
    color = vec4(pow(shade / (1.0 + 0.4 * shade), vec3(1.0 / 2.2)), 1.0);
}
