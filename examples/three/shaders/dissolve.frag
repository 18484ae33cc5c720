uniform vec3 color;
uniform vec3 ember;
uniform float threshold;
uniform int octaves;
uniform bool glows;
varying vec3 vPosition;
varying vec3 vNormal;

float pattern(vec3 at) {
    float sum = 0.0;
    for (int i = 0; i < octaves; i++) {
        sum += sin(at.x) * sin(at.y) * sin(at.z) / float(i + 1);
        at = at.yzx * 1.8 + 0.5;
    }
    return sum * 0.5 + 0.5;
}

void main() {
    float margin = pattern(vPosition * 9.0) - threshold;
    if (margin < 0.0) discard;
    float light = 0.35 + 0.65 * abs(normalize(vNormal).z);
    float glow = glows ? smoothstep(0.12, 0.0, margin) : 0.0;
    gl_FragColor = vec4(mix(color * light, ember, glow), 1.0);
    #include <colorspace_fragment>
}
