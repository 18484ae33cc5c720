#version 460
// ERROR: E0314 7:5
// ERROR: E0314 8:5
// REFUSED BY: glslangValidator
#extension GL_EXT_ray_tracing : require
void main() {
    ignoreIntersectionEXT;
    terminateRayEXT;
}
