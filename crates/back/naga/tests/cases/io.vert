#version 300 es
layout(location = 3) in vec3 position;
in vec2 uv;
in mat4 instance;
in ivec2 ids;
in float ignored;
uniform mat4 view;
out vec2 v_uv;
out mat3 v_frame;
flat out ivec2 v_ids;
centroid out float v_list[2];
out float v_unwritten;
struct Pack { vec3 a; float b; };
out Pack v_pack;
void main() {
    v_uv = uv + float(gl_VertexID) + float(gl_InstanceID);
    v_frame = mat3(instance);
    v_ids = ids;
    v_list[1] = position.x;
    v_pack = Pack(position, uv.y);
    gl_Position = view * instance * vec4(position, 1.0);
    gl_PointSize = 4.0;
}
