#version 300 es
// A texture stirred around the middle; the slopes given to the sampler are those of the stirred place.
precision highp float;

uniform sampler2D image;
uniform float time;
in vec2 uv;
out vec4 color;

void main() {
    vec2 p = uv - 0.5;
    float r = length(p);
    float strength = smoothstep(0.5, 0.0, r);
    float a = (4.0 + sin(time)) * strength * strength;
    float c = cos(a), s = sin(a);
    vec2 q = mat2(c, s, -s, c) * p + 0.5;
    vec3 paint = textureGrad(image, q, dFdx(q), dFdy(q)).rgb;
    paint *= 1.0 - 0.3 * strength;
    paint += 0.12 * strength * vec3(0.2, 0.5, 0.9);
    color = vec4(paint, 1.0);
}
