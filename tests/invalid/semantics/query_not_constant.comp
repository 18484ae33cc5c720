#version 460
// ERROR: E0309 8:36
// REFUSED BY: glslangValidator
#extension GL_EXT_ray_query : require
void main() {
    rayQueryEXT q;
    bool committed = true;
    rayQueryGetIntersectionTEXT(q, committed);
}
