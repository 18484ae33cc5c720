// error: E1103 7
// Memory that other invocations of the group see.
#version 310 es
layout(local_size_x = 4) in;
shared float row[4];
void main() {
    row[gl_LocalInvocationIndex] = 1.0;
}
