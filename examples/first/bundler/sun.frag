#version 450
layout(location = 0) out vec4 color;
uniform vec3 sky;
void main() {
    float distance = length(gl_FragCoord.xy - vec2(160.0, 90.0));
    color = vec4(mix(vec3(1.0, 0.9, 0.6), sky, smoothstep(20.0, 140.0, distance)), 1.0);
}
