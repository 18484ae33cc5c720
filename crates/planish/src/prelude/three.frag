#define varying in
#ifndef GLSL3
layout(location = 0) out highp vec4 pc_fragColor;
#define gl_FragColor pc_fragColor
#endif
// The output of the renderer is sRGB.
vec4 linearToOutputTexel(vec4 value) {
    vec3 low = value.rgb * 12.92;
    vec3 high = 1.055 * pow(value.rgb, vec3(1.0 / 2.4)) - 0.055;
    return vec4(mix(high, low, vec3(lessThanEqual(value.rgb, vec3(0.0031308)))), value.a);
}
