#version 460
// ERROR: E0301 9:15
// ERROR: E0301 10:13
// ERROR: E0301 11:14
// ERROR: E0301 12:14
// REFUSED BY: glslangValidator
#extension GL_EXT_ray_tracing : require
void main() {
    float a = gl_HitTEXT;
    int b = gl_PrimitiveID;
    uint c = gl_RayFlagsSkipAABBEXT;
    uint d = gl_CullMaskEXT;
}
