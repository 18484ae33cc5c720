// In Shadertoy's form: glowing rings that fold into each other, layer by layer.
vec3 palette(float t)
{
    return vec3(0.55, 0.45, 0.50) + vec3(0.45, 0.40, 0.45) * cos(6.28318 * (vec3(1.0, 0.9, 0.7) * t + vec3(0.10, 0.35, 0.60)));
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 start = (2.0 * fragCoord - iResolution.xy) / min(iResolution.x, iResolution.y);
    vec2 p = start;
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 3; i++) {
        p = abs(p * 1.35) - vec2(0.55, 0.48);
        float a = 0.4 + 0.1 * iTime;
        p = mat2(cos(a), -sin(a), sin(a), cos(a)) * p;
        float d = abs(sin(7.0 * length(p) - iTime)) / 7.0;
        float glow = 0.011 / (d + 0.006);
        sum += palette(length(start) + 0.3 * float(i) + 0.2 * iTime) * glow * 0.55;
    }
    fragColor = vec4(1.0 - exp(-1.3 * sum), 1.0);
}
