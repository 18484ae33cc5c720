#version 330 core
layout(location = 0) in vec3 pos; layout(location = 3) in ivec4 joints; in mat4 inst;
uniform mat4 mvp; out vec3 vcol; flat out int id; noperspective out vec2 npc; out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; };
layout(std140) uniform; uniform Bones { mat4 bones[64]; };
uniform struct Light { vec3 p; float i; } lights[3];
void main() { gl_Position = mvp * inst * bones[joints.x] * vec4(pos, 1); gl_ClipDistance[0] = 1.0; id = gl_VertexID + gl_InstanceID; vcol = lights[id % 3].p * lights[1].i; npc = pos.xy; gl_PointSize = 3; }
