#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT vec4 payload;
layout(location = 1) rayPayloadEXT float shadow;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(shaderRecordEXT, std430) buffer Record { vec4 colour; mat3 turn; uint flags[4]; };
void main() {
    shadow = 0.0;
    vec3 from = gl_WorldRayOriginEXT + gl_WorldRayDirectionEXT * gl_HitTEXT;
    if ((flags[gl_InstanceCustomIndexEXT & 3] & 1u) != 0u)
        traceRayEXT(scene, gl_RayFlagsTerminateOnFirstHitEXT, 255, 0, 0, 0, from, 0.01, turn * vec3(0, 1, 0), 50.0, 1);
    payload = colour * shadow + vec4(gl_ObjectToWorldEXT[3], 0.0);
}
