#version 300 es
// write: es 300, es 100, desktop 120
uniform mat4 world;
uniform mat4x3 bones[4];
in vec4 position;
in vec3 weights;
void main() {
    mat3 rotation = mat3(world);
    vec3 p = vec3(0.0);
    for (int i = 0; i < 3; i++) p += weights[i] * (bones[i] * position);
    p = p * rotation + transpose(rotation)[2] + world[3].xyz;
    mat2 small = mat2(rotation);
    small *= 2.0;
    small[0][1] = -small[1][0];
    gl_Position = vec4(p + vec3(small * p.xy, 0.0), 1.0);
}
