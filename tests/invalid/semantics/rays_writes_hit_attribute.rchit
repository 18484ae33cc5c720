#version 460
// ERROR: E0308 8:5
// ERROR: E0308 9:5
// REFUSED BY: glslangValidator
#extension GL_EXT_ray_tracing : require
hitAttributeEXT vec2 weights; layout(shaderRecordEXT) buffer Record { float d; };
void main() { 
    weights.x = 1.0;
    d = 1.0;
}
