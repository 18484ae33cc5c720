#version 460
#extension GL_EXT_ray_query : require
layout(location = 0) in vec3 place;
layout(location = 1) flat in uvec2 address;
layout(location = 0) out vec4 colour;

void main() {
    rayQueryEXT shadow;
    rayQueryInitializeEXT(shadow, accelerationStructureEXT(address), gl_RayFlagsTerminateOnFirstHitEXT | gl_RayFlagsOpaqueEXT, 0xFF,
                          place, 0.01, vec3(0.0, 1.0, 0.0), 100.0);
    rayQueryProceedEXT(shadow);
    bool is_lit = rayQueryGetIntersectionTypeEXT(shadow, true) == gl_RayQueryCommittedIntersectionNoneEXT;
    colour = is_lit ? vec4(1.0) : vec4(0.1);
}
