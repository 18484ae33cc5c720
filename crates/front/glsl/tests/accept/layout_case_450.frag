#version 450
layout(Location = 0, INDEX = 0) out vec4 color;
layout(STD140, Binding = 1) uniform B { layout(Row_Major) mat4 m; };
layout(Early_Fragment_Tests) in;
layout(RGBA8, binding = 2) uniform readonly image2D picture;
void main() { color = m[0] + imageLoad(picture, ivec2(0)); }
