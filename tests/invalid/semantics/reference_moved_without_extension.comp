#version 450
// ERROR: E0508 11:6
// REFUSED BY: glslangValidator
#extension GL_EXT_buffer_reference : require
layout(buffer_reference) buffer Node {
    int v;
    float f;
};
layout(push_constant) uniform Push { Node n; } push;
void main() {
    (push.n + 1).v = 1;
}
