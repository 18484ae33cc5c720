#version 300 es
// A cathode ray tube: a bulging screen, beams of red, green and blue, scan lines and a glow.
precision highp float;

uniform sampler2D image;
uniform vec2 resolution;
uniform float time;
in vec2 uv;
out vec4 color;

vec2 bulge(vec2 p) {
    vec2 c = p * 2.0 - 1.0;
    c *= 1.0 + 0.12 * c.yx * c.yx;
    return (c * 1.03) * 0.5 + 0.5;
}

void main() {
    vec2 p = bulge(uv);
    vec2 edge = smoothstep(vec2(0.0), vec2(0.012), p) * smoothstep(vec2(1.0), vec2(0.988), p);
    float shift = 0.003 * sin(2.0 * time);
    vec3 beam = vec3(
        texture(image, p + vec2(0.004 + shift, 0.0)).r,
        texture(image, p).g,
        texture(image, p - vec2(0.004 + shift, 0.0)).b);
    vec3 glow = texture(image, p, 3.0).rgb;
    float line = 0.75 + 0.25 * cos(6.2831853 * p.y * resolution.y / 4.0);
    int triad = int(gl_FragCoord.x) % 3;
    vec3 mask = vec3(0.72);
    mask[triad] = 1.15;
    vec3 lit = beam * line * mask + 0.18 * glow;
    lit *= 1.0 - 0.35 * dot(uv - 0.5, uv - 0.5) * 2.0;
    color = vec4(lit * edge.x * edge.y + vec3(0.015), 1.0);
}
