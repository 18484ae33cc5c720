// (Beside clouds.glsl, which includes it.)
const int OCTAVES = 4;

float wave(vec2 at) {
    return sin(at.x + 0.5 * cos(at.y)) * cos(at.y - 0.3 * sin(at.x));
}
