#version 300 es
// A picture in glass stones, each with a bevel that catches the light.
// `if` / `else if` on both axes, swizzles stored, bare blocks.
precision highp float;
precision highp int;

uniform sampler2D image;
uniform vec2 resolution;
uniform float time;
out vec4 color;

float wobble(vec2 cell) {
    ivec2 c = ivec2(cell);
    int n = c.x * 5147 + c.y * 9176 + 401;
    n ^= n >> 6;
    n = n * (n * 97 + 31) + 7919;
    return float((n >> 7) & 1023) / 1023.0;
}

vec2 bevel(vec2 p) {
    vec2 tilt = vec2(0.0);
    if (p.x < 0.15) {
        tilt.x = -1.0;
    } else if (p.x > 0.85) {
        tilt.x = 1.0;
    }
    if (p.y < 0.15) {
        tilt.y = -1.0;
    } else if (p.y > 0.85) {
        tilt.y = 1.0;
    }
    return tilt;
}

void main() {
    vec2 stones = 22.0 * resolution / resolution.y;
    vec2 p = gl_FragCoord.xy / resolution * stones;
    p.x += 0.5 * mod(floor(p.y), 2.0);
    vec2 cell = floor(p);
    vec2 inside = p - cell;
    float odd = wobble(cell);
    vec3 c = texture(image, (cell + 0.5) / stones * 0.7).rgb;
    c.rb = mix(c.rb, c.br, 0.35 * odd);
    {
        vec3 normal = normalize(vec3(0.8 * bevel(inside), 1.6) + vec3(0.3 * odd - 0.15, 0.0, 0.0));
        vec3 light = normalize(vec3(-0.6, 0.7, 0.8 + 0.2 * sin(time)));
        float lit = max(dot(normal, light), 0.0);
        c *= 0.35 + 0.85 * lit;
        c += 0.25 * pow(lit, 12.0);
    }
    {
        vec2 edge = min(inside, 1.0 - inside);
        float grout = smoothstep(0.02, 0.06, min(edge.x, edge.y));
        c = mix(vec3(0.12, 0.11, 0.10), c, grout);
    }
    color = vec4(c, 1.0);
}
