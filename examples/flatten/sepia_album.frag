// A photograph in an album: corners, white border, sepia and dust.
// ES 1.00: `texture2D` before all conditions, helpers with early returns, `inout`.
precision highp float;

uniform sampler2D photo;
uniform vec2 resolution;
uniform float time;

float dust(vec2 p) {
    vec2 cell = floor(p);
    float n = fract(sin(dot(cell, vec2(41.3, 289.1)) + floor(8.0 * time)) * 2617.7);
    if (n < 0.93) return 0.0;
    vec2 d = fract(p) - 0.5 - 0.3 * vec2(cos(90.0 * n), sin(70.0 * n));
    return smoothstep(0.12, 0.02, length(d));
}

void age(inout vec3 c, vec2 uv) {
    float grey = dot(c, vec3(0.35, 0.50, 0.15));
    grey = smoothstep(-0.05, 0.85, grey);
    c = grey * vec3(1.02, 0.84, 0.62) + vec3(0.10, 0.06, 0.03) * (1.0 - grey);
    vec2 e = uv * (1.0 - uv);
    c *= 0.55 + 0.45 * pow(16.0 * e.x * e.y, 0.3);
    c = mix(c, vec3(0.92, 0.83, 0.66), 0.5 * dust(uv * 22.0));
}

float corner(vec2 p) {
    vec2 q = vec2(0.80, 0.62) - abs(p);
    if (q.x < -0.03 || q.y < -0.03) return 0.0;
    return step(q.x + q.y, 0.16);
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    p = mat2(0.9976, -0.0698, 0.0698, 0.9976) * p * 1.08;
    vec2 uv = 0.5 + p / vec2(1.44, 1.08);
    vec3 picture = texture2D(photo, 0.55 * uv + 0.2).rgb;
    float fold = p.x * 0.3 - p.y * 0.7 + 0.3;
    vec2 frame = abs(p) - vec2(0.80, 0.62);
    float outside = max(frame.x, frame.y);
    vec3 c = vec3(0.17, 0.14, 0.12) * (0.92 + 0.08 * sin(210.0 * p.x) * sin(190.0 * p.y));
    if (outside < 0.0) {
        c = vec3(0.93, 0.88, 0.76);
        if (abs(p.x) < 0.72 && abs(p.y) < 0.54) {
            c = picture;
            age(c, uv);
        }
        c += 0.10 * smoothstep(0.012, 0.0, abs(fold)) - 0.08 * smoothstep(0.03, 0.0, abs(fold + 0.012));
    } else {
        c *= 0.5 + 0.5 * smoothstep(0.0, 0.10, outside + 0.2 * p.y);
    }
    if (corner(p) > 0.5) {
        c = vec3(0.27, 0.22, 0.18) * (1.0 + 0.15 * sin(60.0 * (abs(p.x) + abs(p.y))));
    }
    gl_FragColor = vec4(c, 1.0);
}
