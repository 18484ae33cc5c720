// Drops on a pond: rings from twelve places add up to a slope that mirrors the sky.
// ES 1.00: `inout` vector, a loop with `continue`, a helper's early return.
precision highp float;

uniform vec2 resolution;
uniform float time;

float random(float n) {
    return fract(sin(n * 78.233 + 0.7) * 5471.31);
}

void ring(inout vec2 slope, vec2 p, vec2 centre, float age) {
    vec2 d = p - centre;
    float r = length(d);
    float front = 0.9 * age;
    float behind = r - front;
    if (behind > 0.12 || r < 0.001) return;
    float height = exp(-30.0 * behind * behind - 1.8 * age) * cos(60.0 * behind);
    slope += 1.3 * height * d / r;
}

vec3 sky(vec3 way) {
    vec3 c = mix(vec3(0.86, 0.90, 0.88), vec3(0.22, 0.42, 0.62), clamp(1.4 * way.y + 0.1 * sin(9.0 * way.x), 0.0, 1.0));
    float cloud = sin(5.0 * way.x + 2.0) * sin(7.0 * way.y + 1.0);
    return mix(c, vec3(0.97, 0.96, 0.94), smoothstep(0.2, 0.8, cloud));
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec2 slope = 0.03 * vec2(sin(9.0 * p.x + 5.0 * p.y + time), cos(11.0 * p.y - 4.0 * p.x + time));
    for (int i = 0; i < 12; ++i) {
        float k = float(i);
        float beat = time * 0.6 + random(k) * 1.4;
        float age = fract(beat);
        if (age < 0.02) continue;
        float round = floor(beat);
        vec2 centre = vec2(random(k + 17.0 * round), random(k + 5.0 + 31.0 * round)) * 2.2 - 1.1;
        ring(slope, p, centre, age);
    }
    vec3 normal = normalize(vec3(slope, 1.0));
    vec3 view = normalize(vec3(0.5 * p, -1.6));
    vec3 mirrored = reflect(view, normal);
    float shine = pow(max(dot(mirrored, normalize(vec3(0.25, 0.45, 0.85))), 0.0), 90.0);
    vec3 bottom = vec3(0.06, 0.20, 0.22) + 0.05 * sin(20.0 * (p.x + 0.4 * slope.x)) * sin(17.0 * (p.y + 0.4 * slope.y));
    float share = 0.35 + 0.65 * pow(1.0 - max(dot(-view, normal), 0.0), 2.0);
    vec3 c = mix(bottom, sky(mirrored), share) + 0.8 * shine;
    gl_FragColor = vec4(c, 1.0);
}
