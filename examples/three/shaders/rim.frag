#include <common>

uniform sampler2D map;
uniform vec3 rim;
uniform float power;
varying vec2 vUv;
varying vec3 vNormal;
varying vec3 vView;

// (Apart from `main`, so that the texture is read in a function.)
vec3 paint() {
    return texture2D(map, vUv).rgb;
}

void main() {
    float facing = saturate(dot(normalize(vNormal), normalize(vView)));
    gl_FragColor = vec4(paint() * (0.4 + 0.6 * facing) + rim * pow(1.0 - facing, power), 1.0);
    #include <colorspace_fragment>
}
