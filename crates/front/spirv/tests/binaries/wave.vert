#version 450
// glslangValidator -V wave.vert -o wave.vert.spv
layout(push_constant) uniform Push { mat4 view; float time; } push;
layout(location = 0) in vec3 position;
layout(location = 0) out vec3 normal;
layout(location = 1) flat out int id;

float height(vec2 at, out vec2 slope) {
    slope = vec2(cos(at.x + push.time), -sin(at.y));
    return sin(at.x + push.time) + cos(at.y);
}

void main() {
    vec2 slope;
    float h = height(position.xz, slope);
    normal = normalize(vec3(-slope.x, 1.0, -slope.y));
    id = gl_VertexIndex + gl_InstanceIndex;
    gl_Position = push.view * vec4(position.x, h, position.z, 1.0);
    gl_PointSize = 2.0;
}
