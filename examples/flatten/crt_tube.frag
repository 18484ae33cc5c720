#version 300 es
// A picture tube: bulged glass, slots of red, green and blue, dark lines and a black frame.
// Early returns in a helper, `switch` on the slot.
precision highp float;
precision highp int;

uniform sampler2D image;
uniform vec2 resolution;
uniform float time;
out vec4 color;

vec2 bulge(vec2 p) {
    vec2 bent = p.yx * p.yx;
    return p * (1.0 + vec2(0.06, 0.10) * bent);
}

vec3 slot(int column) {
    switch (column % 3) {
        case 0:
            return vec3(1.0, 0.30, 0.30);
        case 1:
            return vec3(0.30, 1.0, 0.30);
        default:
            return vec3(0.30, 0.30, 1.0);
    }
}

float frame(vec2 p) {
    vec2 over = abs(p);
    float most = max(over.x, over.y);
    if (most > 1.06) return 0.0;
    if (most > 1.0) return 0.15;
    return 1.0;
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    vec2 p = bulge(2.16 * uv - 1.08);
    vec2 at = 0.5 + 0.5 * p;
    vec2 shift = vec2(0.004, 0.0);
    vec3 c;
    c.r = texture(image, at + shift).r;
    c.g = texture(image, at).g;
    c.b = texture(image, at - shift).b;
    float line = 0.5 + 0.5 * sin(at.y * 3.14159 * 180.0);
    c = c * c * (0.55 + 0.9 * line);
    c *= 1.3 * slot(int(gl_FragCoord.x));
    float roll = fract(0.4 * time - at.y);
    c *= 0.9 + 0.35 * smoothstep(0.85, 1.0, roll);
    float inside = frame(p);
    if (inside < 1.0) c = vec3(0.09, 0.085, 0.08) * (inside + 0.35);
    else c += 0.05 * (1.0 - length(p - vec2(-0.5, 0.6)));
    color = vec4(sqrt(clamp(c, 0.0, 1.0)), 1.0);
}
