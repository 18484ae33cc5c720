#version 300 es
// A texture in a hexagonal mirror room, with mirrored coordinates folded by hand.
precision highp float;

uniform sampler2D image;
uniform vec2 resolution;
uniform float time;
out vec4 color;

void fold(inout vec2 p, vec2 axis) {
    p -= 2.0 * min(0.0, dot(p, axis)) * axis;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    float r = length(p);
    const vec2 axes[3] = vec2[3](vec2(0.0, 1.0), vec2(0.8660254, -0.5), vec2(-0.8660254, -0.5));
    for (int turn = 0; turn < 2; ++turn)
        for (int i = 0; i < 3; ++i) fold(p, axes[i]);
    float c = cos(0.3 * time), s = sin(0.3 * time);
    vec2 at = mat2(c, s, -s, c) * p * 0.55 + 0.15 * time;
    vec3 paint = texture(image, at).rgb;
    paint = paint * paint * 1.15;
    color = vec4(paint * (1.1 - 0.5 * r * r * 0.5), 1.0);
}
