#version 310 es
// write: es 310, es 300, desktop 450, desktop 450 vulkan, es 100
layout(std140, binding = 1) uniform Camera { mat4 view; layout(row_major) mat4 projection; vec3 eye; } camera;
layout(std140, binding = 2) uniform Globals { vec4 tint; float weights[4]; };
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 texcoord;
layout(location = 0) out vec2 uv;
layout(location = 1) flat out int id;
out vec3 toEye;
invariant gl_Position;
void main() {
    uv = texcoord;
    id = gl_VertexID;
    toEye = camera.eye - position;
    gl_Position = camera.projection * (camera.view * vec4(position, 1.0)) + tint * weights[gl_InstanceID % 4];
}
