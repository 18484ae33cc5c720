#version 100
#extension GL_OES_standard_derivatives : require
// A bent grid whose lines are a pixel and a half wide everywhere, thanks to `fwidth`.
precision highp float;

uniform vec2 resolution;
uniform float time;

float lines(vec2 p, float width) {
    vec2 d = abs(fract(p - 0.5) - 0.5) / fwidth(p);
    return 1.0 - smoothstep(width - 0.5, width + 0.5, min(d.x, d.y));
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec2 mass = 0.4 * vec2(cos(0.7 * time), sin(0.7 * time));
    vec2 to = p - mass;
    float pull = 0.16 / (dot(to, to) + 0.12);
    vec2 bent = p - to * pull * 0.55;
    float minor = lines(bent * 10.0, 0.5);
    float major = lines(bent * 2.5, 1.0);
    vec3 paint = mix(vec3(0.05, 0.09, 0.17), vec3(0.09, 0.17, 0.30), pull);
    paint = mix(paint, vec3(0.22, 0.42, 0.62), minor * 0.6);
    paint = mix(paint, vec3(0.70, 0.88, 1.0), major);
    paint += vec3(1.0, 0.75, 0.4) * exp(-40.0 * dot(to, to));
    gl_FragColor = vec4(paint, 1.0);
}
