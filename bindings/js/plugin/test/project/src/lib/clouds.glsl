#include "waves.glsl"

float clouds(vec2 at) {
    float sum = 0.0;
    for (int octave = 0; octave < OCTAVES; octave++) {
        sum += wave(at) / float(octave + 1);
        at = at.yx * 1.7;
    }
    return clamp(sum * 0.4, 0.0, 1.0);
}
