#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_ray_query : require
layout(buffer_reference, scalar) readonly buffer Normals {
    vec3 normals[3];
};
layout(location = 0) rayPayloadInEXT Answer {
    vec4 colour;
    uint bounces;
} answer;
layout(location = 1) rayPayloadEXT float shadow;
layout(binding = 0) uniform accelerationStructureEXT scene;
layout(shaderRecordEXT, scalar) buffer Record {
    uint64_t address;
    vec3 tint;
    float levels[2];
};
hitAttributeEXT vec2 weights;

void main() {
    Normals n = Normals(address);
    vec3 all = vec3(1.0 - weights.x - weights.y, weights);
    vec3 normal = mat3(n.normals[0], n.normals[1], n.normals[2]) * all;
    vec3 from = gl_WorldRayOriginEXT + gl_HitTEXT * gl_WorldRayDirectionEXT;
    normal = normalize(gl_ObjectToWorldEXT * vec4(normal, 0.0));
    rayQueryEXT above;
    rayQueryInitializeEXT(above, scene, gl_RayFlagsTerminateOnFirstHitEXT, 0xFF, from, 0.01, normal, levels[gl_GeometryIndexEXT & 1]);
    rayQueryProceedEXT(above);
    shadow = rayQueryGetIntersectionTypeEXT(above, true) == gl_RayQueryCommittedIntersectionNoneEXT ? 1.0 : 0.5;
    if (answer.bounces < 2u)
        traceRayEXT(scene, gl_RayFlagsNoneEXT, 255u, 0u, 0u, 0u, from, 0.01, reflect(gl_WorldRayDirectionEXT, normal), 50.0, 1);
    answer.colour = vec4(tint * shadow, float(gl_InstanceCustomIndexEXT + gl_InstanceID + gl_PrimitiveID));
}
