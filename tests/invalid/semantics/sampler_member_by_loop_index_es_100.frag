// ERROR: E0508 9:92
precision mediump float;
struct Light { vec3 dir; sampler2D map; };
uniform Light lights[3];
varying vec2 uv;
vec3 apply(Light l) { return l.dir * texture2D(l.map, uv).rgb; }
void main() {
    vec3 c = apply(lights[1]);
    for (int i = 0; i < 3; i++) c += lights[i].dir; for (int i = 0; i < 3; i++) c += apply(lights[i]);
    gl_FragColor = vec4(c, 1.0);
}
