#version 300 es
// write: es 300, es 100, desktop 450, es 300 minify
precision highp float;
uniform int mode;
uniform vec3 tint;
in vec2 uv;
out vec4 color;
vec3 pick(int m) {
    switch (m) {
    case 0: return vec3(1.0, 0.0, 0.0);
    case 1:
    case 2: return vec3(0.0, 1.0, 0.0);
    default: break;
    }
    return tint;
}
void main() {
    vec3 c = pick(mode);
    if (uv.x < 0.1) c = vec3(0.0);
    else if (uv.x < 0.2) { c.r += 0.5; c.gb *= 2.0; }
    else if (uv.x < 0.3 || (uv.y > 0.5 && mode != 3)) discard;
    float w = uv.x > uv.y ? uv.x : uv.y > 0.25 ? uv.y : 0.25;
    switch (mode) {
    case 0: c.x = 0.5; break;
    case 1: c.y = 0.5;
    case 2: c.z += w; break;
    case 5: if (w > 0.5) break; c.z = 1.0; break;
    default: c *= 0.9;
    }
    bool inside = all(lessThan(abs(uv), vec2(0.5))) && !any(equal(uv, vec2(0.0)));
    color = vec4(inside ? c : 1.0 - c, uv == vec2(0.5) ? 0.0 : 1.0);
}
