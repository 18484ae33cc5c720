#version 460
// ERROR: E0302 8:13
// ERROR: E0302 9:9
// ERROR: E0303 10:5
// REFUSED BY: glslangValidator
#extension GL_EXT_ray_query : require
void main() { rayQueryEXT q;
    int a = rayQueryGetIntersectionTypeEXT(q, true);
    if (rayQueryProceedEXT(q) == 1) return;
    rayQueryGenerateIntersectionEXT(q, vec2(1.0));
}
