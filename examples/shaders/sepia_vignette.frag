#version 100
// An old photograph: sepia by a matrix, darker corners, a white border.
precision mediump float;

uniform sampler2D picture;
varying highp vec2 vUv;

const mat3 SEPIA = mat3(0.393, 0.349, 0.272, 0.769, 0.686, 0.534, 0.189, 0.168, 0.131);

void main() {
    vec2 inner = (vUv - 0.08) / 0.84;
    vec3 photo = texture2D(picture, inner).rgb;
    photo = clamp(SEPIA * photo, 0.0, 1.0);
    vec2 d = inner - 0.5;
    photo *= 1.0 - 1.1 * smoothstep(0.1, 0.6, dot(d, d));
    photo = mix(vec3(0.5), photo, 0.88) + vec3(0.05, 0.03, 0.0);
    vec2 inside = step(vec2(0.0), inner) * step(inner, vec2(1.0));
    vec3 border = vec3(0.95, 0.93, 0.87) - 0.06 * length(vUv - 0.5);
    gl_FragColor = vec4(mix(border, photo, inside.x * inside.y), 1.0);
}
