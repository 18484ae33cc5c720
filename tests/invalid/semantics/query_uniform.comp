#version 460
// ERROR: E0405 4:41
#extension GL_EXT_ray_query : require
layout(binding = 0) uniform rayQueryEXT query;
void main() { rayQueryProceedEXT(query); }
