// In Shadertoy's form: a flight through a tunnel of stone rings.
float hash(int n)
{
    uint h = uint(n) * 3266489917u;
    h ^= h >> 15;
    h *= 668265263u;
    return float(h >> 8) / 16777216.0;
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    vec2 p = (2.0 * fragCoord - iResolution.xy) / iResolution.y;
    p += 0.15 * vec2(cos(iTime), sin(0.7 * iTime));
    float r = length(p) + 1e-3;
    float depth = 1.0 / r + 1.5 * iTime;
    float ring = depth * 2.0;
    int row = int(floor(ring));
    float around = (atan(p.y, p.x) / 6.2831853 + 0.5) * 14.0 + 0.5 * float(row & 1);
    int column = int(floor(around)) % 14;
    vec2 f = abs(fract(vec2(around, ring)) - 0.5);
    float stone = 0.5 + 0.5 * hash(row * 14 + column);
    float joint = smoothstep(0.5, 0.40, f.x) * smoothstep(0.5, 0.42, f.y);
    vec3 col = mix(vec3(0.12, 0.09, 0.08), vec3(0.78, 0.58, 0.42) * stone, joint);
    bool lamp = row % 5 == 0 && column % 7 == 3;
    if (lamp) col = vec3(1.0, 0.85, 0.5) * (0.6 + joint);
    fragColor = vec4(col * smoothstep(0.0, 0.9, r) * 1.3, 1.0);
}
