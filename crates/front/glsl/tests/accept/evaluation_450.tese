#version 450
layout(quads, fractional_odd_spacing, cw) in;
layout(point_mode) in;
layout(location = 0) in vec3 bent[];
layout(location = 1) in Point { vec2 at; float bias; } point[];
layout(location = 4) patch in vec4 whole;
layout(location = 0) out vec3 normal;
layout(location = 1) flat out int kind;
out gl_PerVertex { vec4 gl_Position; };
void main() {
    normal = mix(bent[0], bent[1], gl_TessCoord.x) + whole.xyz * gl_TessLevelOuter[3] + gl_TessLevelInner[1];
    kind = gl_PrimitiveID + gl_PatchVerticesIn;
    gl_Position = gl_in[0].gl_Position * point[1].bias + vec4(point[2].at, gl_TessCoord.yz);
}
