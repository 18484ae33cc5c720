#version 300 es
precision highp float;

// Waves in three directions, each turned from the one before.
uniform Wave {
    float time;
    vec3 tint;
    float weights[3];
    mat3 turn;
    bool inverted;
};

in vec3 color;
out vec4 result;

void main() {
    vec3 place = vec3(8.0 * (color.xy - 0.5), 1.0);
    float height = 0.0;
    for (int i = 0; i < 3; i++) {
        place = turn * place;
        height += weights[i] * sin(place.x * float(i + 1) + time);
    }
    vec3 shade = tint * (0.5 + 0.5 * height) + 0.2 * color;
    result = vec4(inverted ? 1.0 - shade : shade, 1.0);
}
