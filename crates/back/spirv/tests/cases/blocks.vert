#version 450
#extension GL_ARB_shader_draw_parameters : enable
layout(location = 0) in vec3 position;
layout(location = 1) in mat3 frame;
layout(location = 4) in float list[2];
struct Pair { vec2 a; float b[2]; };
out Varying { layout(location = 0) vec4 colour; flat layout(location = 1) int id; noperspective layout(location = 2) vec2 uv; } varying_;
layout(location = 4) out Pair pair;
layout(location = 8) out vec3 never;
uniform mat4 view;
uniform float time;
invariant gl_Position;
out float gl_ClipDistance[2];
void main() {
    varying_.colour = vec4(position * frame, list[gl_VertexID & 1]);
    varying_.id = gl_InstanceID + gl_VertexIndex + gl_BaseInstanceARB + gl_DrawIDARB;
    varying_.uv.yx = position.xy * time;
    pair.b[1] = time;
    pair.a = vec2(varying_.colour);
    gl_ClipDistance[0] = position.x;
    gl_ClipDistance[1] = -position.x;
    gl_PointSize = 3.0;
    gl_Position = view * vec4(position, 1.0);
}
