#version 450
#extension GL_EXT_mesh_shader : require
layout(location = 0) in vec3 colour;
layout(location = 1) perprimitiveEXT flat in uint material;
layout(location = 5) perprimitiveEXT in Patch {
    vec4 plane;
} patch_;
layout(location = 0) out vec4 result;

void main() {
    result = vec4(colour, float(material)) + patch_.plane;
}
