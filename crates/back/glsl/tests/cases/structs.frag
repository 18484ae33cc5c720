#version 300 es
// write: es 300, es 100, desktop 330
precision mediump float;
struct Light { vec3 position; lowp vec3 color; float range; };
struct Scene { Light lights[2]; vec4 ambient; };
uniform Scene scene;
uniform Light sun;
in highp vec3 world;
out vec4 color;
Light dimmed(Light light, float amount) { light.color *= amount; return light; }
void add(inout vec3 sum, const in Light light, out float distance) {
    vec3 to = light.position - world;
    distance = length(to);
    sum += light.color * max(0.0, 1.0 - distance / light.range);
}
void main() {
    vec3 sum = scene.ambient.rgb;
    float d, e;
    add(sum, sun, d);
    for (int i = 0; i < 2; i++) add(sum, dimmed(scene.lights[i], 0.5), e);
    Light none = Light(vec3(0.0), vec3(1.0), 1.0);
    none.position[1] = d;
    color = vec4(sum * none.position, e);
}
