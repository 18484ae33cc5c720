#version 300 es
precision highp float;
precision highp int;
out vec4 colour;

struct Light { vec3 colour; bool on; float power; mat2 turn; float falloff[2]; };

uniform float scale;
uniform bool enabled;
uniform bvec3 flags;
uniform int counts[3];
uniform float weights[5];
uniform vec2 corners[3];
uniform vec3 points[2];
uniform mat2 small;
uniform mat3 middle;
uniform mat2x3 tall;
uniform mat3x2 wide;
uniform mat4 large;
uniform mat3 bones[2];
uniform Light lights[2];
uniform Light sun;
uniform bool switches[3];
uniform vec3 unused;

float shine(Light l) { return l.on ? l.power * l.colour.y + l.turn[1].x + l.falloff[1] : l.turn[0].y; }

void main() {
    int i = int(gl_FragCoord.x) % 2;
    int j = int(gl_FragCoord.y) % 3;
    float r = scale + weights[i] + weights[j + 1] + corners[j].y + points[i].z + float(counts[j]);
    if (enabled) r += 100.0;
    if (all(flags)) r += 200.0;
    if (flags.y) r += 300.0;
    if (flags[j]) r += 400.0;
    if (switches[j]) r += 500.0;
    float s = small[i].y + middle[j].x + tall[i].z + wide[j].y + large[j][i] + bones[i][j].y;
    s += (small * corners[j]).x + (middle * points[1]).y + (tall * small[0]).z;
    float t = shine(lights[i]) + shine(sun) + lights[1].colour.z + (lights[i].on ? 7.0 : 0.0);
    Light copy = lights[i];
    copy.power += 1.0;
    float all_weights[5] = weights;
    t += shine(copy) + all_weights[j];
    colour = vec4(r, s, t, 1.0);
}
