// In Shadertoy's form: a sea by marching over a field of waves, with sky mirrored by Fresnel's law.
const mat2 TURN = mat2(0.8, 0.6, -0.6, 0.8);

float waves(vec2 p, int count)
{
    float h = 0.0;
    float size = 0.22;
    float rate = 1.0;
    for (int i = 0; i < count; i++) {
        vec2 s = sin(p * rate + iTime * (1.0 + 0.2 * float(i)));
        h += size * (1.0 - abs(s.x * 0.6 + s.y * 0.4));
        p = TURN * p + 1.3;
        size *= 0.5;
        rate *= 1.7;
    }
    return h;
}

vec3 sky(vec3 dir)
{
    float up = max(dir.y, 0.0);
    vec3 col = mix(vec3(0.90, 0.76, 0.62), vec3(0.25, 0.45, 0.70), sqrt(up));
    float sun = max(dot(dir, normalize(vec3(0.3, 0.25, -1.0))), 0.0);
    return col + vec3(0.6, 0.4, 0.2) * pow(sun, 30.0) + vec3(0.9) * pow(sun, 400.0);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    vec3 eye = vec3(0.0, 1.6, -1.2 * iTime);
    vec3 dir = normalize(vec3(p.x, p.y - 0.25, -1.7));
    vec3 col = sky(dir);
    if (dir.y < -0.02) {
        float t = (eye.y - 0.45) / -dir.y;
        for (int i = 0; i < 18; i++) {
            vec3 at = eye + t * dir;
            t += (at.y - waves(at.xz, 4)) * 0.6 / max(-dir.y, 0.25);
        }
        vec3 at = eye + t * dir;
        float e = 0.01 + 0.004 * t;
        float h = waves(at.xz, 6);
        vec3 n = normalize(vec3(h - waves(at.xz + vec2(e, 0.0), 6), e * 1.5, h - waves(at.xz + vec2(0.0, e), 6)));
        float fresnel = 0.03 + 0.97 * pow(clamp(1.0 + dot(n, dir), 0.0, 1.0), 4.0);
        vec3 water = vec3(0.02, 0.13, 0.18) + vec3(0.05, 0.25, 0.22) * max(h - 0.1, 0.0);
        vec3 mirrored = reflect(dir, n);
        mirrored.y = abs(mirrored.y);
        col = mix(mix(water, sky(mirrored), fresnel), col, smoothstep(6.0, 40.0, t));
    }
    fragColor = vec4(pow(clamp(col, 0.0, 1.0), vec3(0.85)), 1.0);
}
