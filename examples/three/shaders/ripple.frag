uniform vec3 low;
uniform vec3 high;
varying vec3 vNormal;
varying float vHeight;

void main() {
    float light = 0.3 + 0.7 * max(dot(normalize(vNormal), normalize(vec3(0.3, 0.5, 1.0))), 0.0);
    gl_FragColor = vec4(mix(low, high, vHeight * 0.5 + 0.5) * light, 1.0);
    #include <colorspace_fragment>
}
