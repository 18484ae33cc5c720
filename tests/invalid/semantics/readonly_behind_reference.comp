#version 450
// ERROR: E0308 9:5
#extension GL_EXT_buffer_reference : require
layout(buffer_reference) buffer Table {
    readonly int v;
};
layout(push_constant) uniform Push { Table t; } push;
void main() {
    push.t.v = 1;
}
