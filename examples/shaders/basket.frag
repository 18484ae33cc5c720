#version 300 es
// A woven basket: which strand lies above, and how it bends, by a switch over the place in the weave.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

struct Strand {
    float across;   // -1 to 1 over its width
    float along;    // -1 to 1 over the visible piece
    int family;
};

Strand visible(vec2 p) {
    ivec2 cell = ivec2(floor(p));
    vec2 f = fract(p) * 2.0 - 1.0;
    Strand s;
    switch ((cell.x + 2 * cell.y) & 3) {
        case 0:
            s = Strand(f.x, (f.y - 1.0) * 0.5, 0);
            break;
        case 1:
            s = Strand(f.y, (f.x - 1.0) * 0.5, 1);
            break;
        case 2:
            s = Strand(f.x, (f.y + 1.0) * 0.5, 0);
            break;
        default:
            s = Strand(f.y, (f.x + 1.0) * 0.5, 1);
    }
    return s;
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 12.0;
    Strand s = visible(p);
    float dome = sqrt(max(1.0 - s.across * s.across * 0.95, 0.0)) * (1.0 - 0.45 * s.along * s.along);
    float fibre = 0.92 + 0.08 * cos(14.0 * s.across + float(s.family));
    vec3 straw = s.family == 0 ? vec3(0.86, 0.67, 0.38) : vec3(0.62, 0.40, 0.20);
    vec3 paint = straw * fibre * (0.25 + 0.85 * dome);
    paint += 0.12 * pow(dome, 8.0);
    color = vec4(paint, 1.0);
}
