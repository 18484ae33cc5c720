#version 450
// ERROR: E0508 11:15
// REFUSED BY: glslangValidator
#extension GL_EXT_buffer_reference : require
layout(buffer_reference) buffer Node {
    int v;
    float f;
};
layout(push_constant) uniform Push { Node n; } push;
void main() {
    uvec2 a = uvec2(push.n);
    push.n.v = int(a.x);
}
