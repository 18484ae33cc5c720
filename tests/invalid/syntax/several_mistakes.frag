// ERROR: E0201 7:19
// ERROR: E0202 10:24
// ERROR: E0201 13:28
// ERROR: E0201 14:24
// ERROR: E0201 15:32
precision mediump float;
uniform float time
varying vec2 uv;
float wave(float x) {
    return sin(x * time;
}
void main() {
    float a = wave(uv.x) + ;
    vec3 c = vec3(a, a 0.0);
    gl_FragColor = vec4(c, 1.0)
}
