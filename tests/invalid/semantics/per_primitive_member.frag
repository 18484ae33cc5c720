#version 450
// ERROR: E0401 7:5
// ERROR: E0401 10:1
#extension GL_EXT_mesh_shader : require
layout(location = 0) out vec4 o;
layout(location = 0) in B {
    perprimitiveEXT vec4 a;
    vec4 b;
};
perprimitiveEXT vec4 c;
void main() { o = a + b + c; }
