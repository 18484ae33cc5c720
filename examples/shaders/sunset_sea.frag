#version 100
// A low sun over the sea: the path of light is made of facets of the waves.
precision highp float;

varying vec2 uv;
uniform float time;

void main() {
    float horizon = 0.42;
    vec2 sun_at = vec2(0.5, 0.52);
    vec3 paint;
    if (uv.y > horizon) {
        float h = (uv.y - horizon) / (1.0 - horizon);
        paint = mix(vec3(1.0, 0.58, 0.25), vec3(0.30, 0.22, 0.45), smoothstep(0.0, 0.8, h));
        float streak = sin(uv.y * 90.0 + sin(uv.x * 5.0) * 2.0) * sin(uv.x * 7.0 + 1.0);
        paint += vec3(0.25, 0.08, 0.05) * smoothstep(0.3, 1.0, streak) * (1.0 - h);
        float d = length((uv - sun_at) * vec2(1.0, 1.0));
        paint += vec3(0.9, 0.5, 0.2) * exp(-7.0 * d);
        paint = mix(paint, vec3(1.0, 0.93, 0.72), smoothstep(0.088, 0.082, d));
    } else {
        float depth = (horizon - uv.y) / horizon;
        float far = 1.0 / (depth + 0.06);
        float wave = sin(far * 14.0 + 2.0 * time) + 0.6 * sin(far * 9.0 + uv.x * 22.0 - time) + 0.5 * sin(uv.x * 60.0 * depth + far * 21.0);
        paint = mix(vec3(0.75, 0.40, 0.25), vec3(0.07, 0.12, 0.25), sqrt(depth));
        float width = 0.03 + 0.20 * depth;
        float path = exp(-pow(abs(uv.x - sun_at.x) / width, 2.0));
        paint += vec3(1.0, 0.65, 0.35) * path * smoothstep(0.1, 1.4, wave);
        paint += vec3(0.05, 0.03, 0.03) * wave * (1.0 - depth);
    }
    gl_FragColor = vec4(paint, 1.0);
}
