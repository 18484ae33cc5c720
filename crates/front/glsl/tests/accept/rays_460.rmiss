#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT vec4 payload;
layout(location = 3) callableDataEXT struct {
    vec3 direction;
    float result;
} noise;

void main() {
    noise.direction = gl_WorldRayDirectionEXT;
    executeCallableEXT(0u, 3);
    payload = mix(vec4(0.2, 0.3, 0.8, 1.0), vec4(1.0), noise.result);
}
