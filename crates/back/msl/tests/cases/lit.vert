#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 uv;
layout(set = 0, binding = 1) uniform Camera {
    mat4 view;
    mat3 normal;
    vec3 eye;
    float scale;
    bool flipped;
} camera;
layout(location = 0) out vec2 coordinate;
layout(location = 1) flat out int id;
layout(location = 2) noperspective centroid out vec3 away;
void main() {
    vec3 at = camera.normal * position * camera.scale;
    coordinate = camera.flipped ? uv.yx : uv;
    id = gl_InstanceIndex;
    away = camera.eye - at;
    gl_Position = camera.view * vec4(at, 1.0);
    gl_PointSize = 2.0;
}
