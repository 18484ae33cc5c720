#version 330 core
// Sierpinski's triangle in Pascal's: a binomial is odd where the bits of one index are in the other.
uniform vec2 resolution;
uniform float time;
out vec4 fragColor;

int ones(uint v) {
    int count = 0;
    while (v != 0u) {
        v &= v - 1u;
        ++count;
    }
    return count;
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    float row = (1.0 - uv.y) * 128.0;
    float place = uv.x * 128.0 - 64.0 + 0.5 * row;
    vec3 ground = mix(vec3(0.98, 0.95, 0.88), vec3(0.93, 0.88, 0.80), uv.y);
    if (place < 0.0 || place >= row + 0.5) {
        fragColor = vec4(ground, 1);
        return;
    }
    uint n = uint(row), k = uint(place);
    bool odd = k <= n && (k & (n - k)) == 0u;
    float depth = float(ones(n)) / 7.0;
    vec3 ink = 0.5 + 0.4 * cos(6.2831853 * (0.6 * depth + vec3(0.55, 0.75, 0.9)) + 0.3 * time);
    fragColor = vec4(odd ? ink : ground * 0.96, 1);
}
