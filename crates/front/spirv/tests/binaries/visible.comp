#version 460
#extension GL_EXT_ray_query : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 1) buffer Rays { vec4 origins[]; };
layout(set = 0, binding = 2) writeonly buffer Hits { float distances[]; };
float nearest(rayQueryEXT query, vec3 from, vec3 to) {
    rayQueryInitializeEXT(query, scene, gl_RayFlagsNoneEXT, 0xFF, from, 0.0, to, 10.0);
    while (rayQueryProceedEXT(query)) {
        if (rayQueryGetIntersectionTypeEXT(query, false) == gl_RayQueryCandidateIntersectionTriangleEXT
            && rayQueryGetIntersectionBarycentricsEXT(query, false).x > 0.1)
            rayQueryConfirmIntersectionEXT(query);
    }
    if (rayQueryGetIntersectionTypeEXT(query, true) == gl_RayQueryCommittedIntersectionNoneEXT) return -1.0;
    return rayQueryGetIntersectionTEXT(query, true);
}
void main() {
    uint i = gl_GlobalInvocationID.x;
    rayQueryEXT query;
    float near = nearest(query, origins[i].xyz, vec3(0, 0, 1));
    distances[i] = near < 0.0 ? nearest(query, origins[i].xyz, vec3(0, 1, 0)) : near;
}
