#version 100
// Colours of glowing bodies from 1,000 to 12,000 kelvin, by a fit of Planck's law.
precision highp float;

varying vec2 vUv;
uniform float time;

vec3 glow(float kelvin) {
    float t = kelvin / 100.0;
    vec3 c;
    c.r = t < 66.0 ? 1.0 : 1.293 * pow(t - 60.0, -0.1332);
    c.g = t < 66.0 ? 0.390 * log(t) - 0.632 : 1.130 * pow(t - 60.0, -0.0755);
    c.b = t < 19.0 ? 0.0 : (t < 66.0 ? 0.543 * log(t - 10.0) - 1.196 : 1.0);
    return clamp(c, 0.0, 1.0);
}

void main() {
    float kelvin = mix(1000.0, 12000.0, vUv.x);
    vec3 paint = glow(kelvin);
    // A row of bulbs hangs in front of the scale.
    float bulbs = 6.0;
    vec2 cell = vec2(fract(vUv.x * bulbs) - 0.5, (vUv.y - 0.45) * bulbs);
    float at = (floor(vUv.x * bulbs) + 0.5) / bulbs;
    float power = 0.8 + 0.2 * sin(time + at * 12.0);
    vec3 lamp = glow(mix(1000.0, 12000.0, at));
    float d = length(cell);
    vec3 room = lamp * power * (0.09 / (d * d + 0.09)) + vec3(0.02);
    room = mix(room, vec3(1.0), smoothstep(0.2, 0.0, d) * 0.7);
    float wire = smoothstep(0.02, 0.01, abs(cell.x)) * step(0.2, cell.y);
    room = mix(room, vec3(0.15), wire);
    gl_FragColor = vec4(mix(paint, room, smoothstep(0.150, 0.156, vUv.y)), 1.0);
}
