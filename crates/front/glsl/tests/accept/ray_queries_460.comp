#version 460
#extension GL_EXT_ray_query : require
#extension GL_EXT_ray_flags_primitive_culling : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) uniform accelerationStructureEXT scenes[2];
layout(set = 0, binding = 1) buffer Rays {
    vec4 origins[];
};
layout(set = 0, binding = 2) writeonly buffer Hits {
    mat4x3 places[];
};
struct Both {
    rayQueryEXT query;
    float distance;
};
rayQueryEXT global;

float nearest(rayQueryEXT query, accelerationStructureEXT scene, vec3 from, vec3 to) {
    rayQueryInitializeEXT(query, scene, gl_RayFlagsSkipTrianglesEXT, 0xFF, from, 0.0, to, 10.0);
    while (rayQueryProceedEXT(query)) {
        if (rayQueryGetIntersectionTypeEXT(query, false) == gl_RayQueryCandidateIntersectionAABBEXT) {
            if (rayQueryGetIntersectionCandidateAABBOpaqueEXT(query)) rayQueryGenerateIntersectionEXT(query, 1.0);
        } else if (rayQueryGetIntersectionBarycentricsEXT(query, false).x > 0.1 && rayQueryGetIntersectionFrontFaceEXT(query, false)) {
            rayQueryConfirmIntersectionEXT(query);
        } else {
            rayQueryTerminateEXT(query);
        }
    }
    uint type = rayQueryGetIntersectionTypeEXT(query, true);
    return type == gl_RayQueryCommittedIntersectionNoneEXT ? -1.0 : rayQueryGetIntersectionTEXT(query, true);
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    rayQueryEXT query, several[2];
    Both both;
    both.distance = nearest(query, scenes[0], origins[i].xyz, vec3(0, 0, 1));
    if (both.distance < 0.0) both.distance = nearest(global, scenes[i & 1u], origins[i].xyz, vec3(0, 1, 0));
    rayQueryInitializeEXT(both.query, scenes[1], gl_RayFlagsNoneEXT, 0xFF, vec3(0.0), 0.0, vec3(both.distance), 1.0);
    rayQueryInitializeEXT(several[i & 1u], scenes[1], gl_RayFlagsNoneEXT, 0xFF, vec3(0.0), 0.0, vec3(1.0), 1.0);
    rayQueryProceedEXT(several[0]);
    float sum = rayQueryGetRayTMinEXT(both.query) + float(rayQueryGetRayFlagsEXT(both.query));
    sum += rayQueryGetWorldRayDirectionEXT(several[1]).x + rayQueryGetWorldRayOriginEXT(several[1]).x;
    sum += float(rayQueryGetIntersectionInstanceCustomIndexEXT(query, true) + rayQueryGetIntersectionInstanceIdEXT(query, true));
    sum += float(rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(query, true));
    sum += float(rayQueryGetIntersectionGeometryIndexEXT(query, true) * rayQueryGetIntersectionPrimitiveIndexEXT(query, true));
    sum += dot(rayQueryGetIntersectionObjectRayDirectionEXT(query, true), rayQueryGetIntersectionObjectRayOriginEXT(query, true));
    places[i] = rayQueryGetIntersectionObjectToWorldEXT(query, true) + sum * rayQueryGetIntersectionWorldToObjectEXT(query, true);
}
