#version 300 es
// write: es 300, es 100, desktop 450
precision highp float;
layout(location = 0) out vec4 albedo;
layout(location = 1) out vec4 normal;
in vec3 n;
void main() {
    albedo = vec4(1.0);
    albedo.a = 0.5;
    normal = vec4(normalize(n), 0.0);
}
