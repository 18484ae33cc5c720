#version 300 es
// Colour fringes: nine taps along the ray from the centre, each seen by a part of the spectrum.
// A component stored at the loop's index, swizzles.
precision highp float;
precision highp int;

uniform sampler2D image;
uniform vec2 resolution;
uniform float strength;
out vec4 color;

vec3 spectrum(int tap) {
    vec3 seen = vec3(0.0);
    float at = float(tap) / 8.0;
    for (int channel = 0; channel < 3; ++channel) {
        float peak = 1.0 - 0.5 * float(channel);
        seen[channel] = max(1.0 - 2.0 * abs(at - peak), 0.0);
    }
    return seen;
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    vec2 p = uv - 0.5;
    float bend = 0.35 * strength * dot(p, p);
    vec3 sum = vec3(0.0);
    vec3 total = vec3(0.0);
    for (int tap = 0; tap < 9; ++tap) {
        float scale = 1.0 - bend * (float(tap) / 8.0 - 0.3);
        vec3 seen = spectrum(tap);
        sum += seen * texture(image, 0.5 + p * scale).rgb;
        total += seen;
    }
    vec3 c = sum / total;
    c.gb *= 0.96 + 0.04 * p.xy;
    c *= 1.1 - 0.9 * dot(p, p);
    color = vec4(c, 1.0);
}
