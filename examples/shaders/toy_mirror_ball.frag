// In Shadertoy's form: a mirrored ball over a picture from iChannel0, and the picture in it.
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    vec3 eye = vec3(0.0, 1.1, 3.2);
    vec3 dir = normalize(vec3(p, -1.9) + vec3(0.0, -0.35, 0.0));
    vec3 center = vec3(0.3 * sin(iTime), 0.8, 0.0);
    vec3 to = eye - center;
    float b = dot(to, dir);
    float disc = b * b - dot(to, to) + 0.64;
    vec3 weight = vec3(1.0);
    vec3 extra = vec3(0.0);
    bool on_ball = disc > 0.0;
    if (on_ball) {
        eye += dir * (-b - sqrt(disc));
        vec3 n = normalize(eye - center);
        dir = reflect(dir, n);
        weight = vec3(0.85, 0.88, 0.92);
        extra = vec3(0.8) * pow(max(dot(dir, normalize(vec3(0.5, 0.8, 0.3))), 0.0), 60.0);
    }
    vec3 col = mix(vec3(0.75, 0.80, 0.90), vec3(0.25, 0.35, 0.60), clamp(dir.y, 0.0, 1.0));
    if (dir.y < -0.01) {
        float t = eye.y / -dir.y;
        vec3 at = eye + t * dir;
        float shade = 1.0;
        if (!on_ball) shade = 0.45 + 0.55 * smoothstep(0.2, 1.0, length(at.xz - center.xz));
        col = mix(textureLod(iChannel0, 0.35 * at.xz, log2(1.0 + 0.6 * t)).rgb * shade, vec3(0.75, 0.80, 0.90), smoothstep(3.0, 18.0, t));
    }
    fragColor = vec4(col * weight + extra, 1.0);
}
