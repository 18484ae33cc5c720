#version 450
// ERROR: E0401 8:1
// ERROR: E0301 10:5
// ERROR: E0311 11:5
// REFUSED BY: glslangValidator
#extension GL_EXT_mesh_shader : require
layout(local_size_x = 1) in;
taskPayloadSharedEXT vec4 payload;
void main() {
    gl_MeshVerticesEXT[0].gl_Position = vec4(1);
    SetMeshOutputsEXT(1, 1);
}
