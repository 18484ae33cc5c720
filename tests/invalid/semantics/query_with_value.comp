#version 460
// ERROR: E0406 7:24
// ERROR: E0308 8:5
// REFUSED BY: glslangValidator
#extension GL_EXT_ray_query : require
void main() {
    rayQueryEXT a, b = a;
    a = a;
}
