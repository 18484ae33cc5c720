#version 300 es
// write: es 300, es 300 minify
precision mediump float;
in vec3 p;
out vec4 color;
float noise(float x) { return fract(sin(x) * 43758.5453); }
float noise(vec2 x) { return noise(x.x + noise(x.y)); }
float noise(vec3 x) { return mix(noise(x.xy), noise(x.yz), x.x); }
void main() {
    float n = noise(p);
    { float n = noise(p.xy) * 2.0; color = vec4(n); }
    { float n = noise(p.z); color += n; }
    color *= n;
}
