#version 450
layout(set = 0, binding = 0) uniform texture2D tex;
layout(set = 0, binding = 1) uniform sampler smp;
layout(set = 0, binding = 2) uniform samplerShadow shadowSmp;
layout(set = 0, binding = 3) uniform texture2DArray texs[4];
layout(set = 1, binding = 0, std140) uniform Camera { mat4 view; mat4 proj; vec3 eye; float pad[3]; } cam;
layout(set = 1, binding = 1, std430) readonly buffer Lights { int count; vec4 positions[]; } lights;
layout(push_constant) uniform Push { layout(offset = 16) vec4 tint; int index; } push;
layout(constant_id = 3) const int MODE = 2;
layout(constant_id = 4) const float SCALE = 2.5;
layout(location = 0) in vec2 uv;
layout(location = 1) in flat int layer;
layout(location = 2) in Block { vec3 normal; vec2 st; } inp;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec2 ids;
layout(input_attachment_index = 0, set = 2, binding = 0) uniform subpassInput att;
vec3 sum(const in vec3 a[3]) { vec3 s = vec3(0); for (int i = 0; i < a.length(); ++i) s += a[i]; return s; }
void main() {
  vec4 c = texture(sampler2D(tex, smp), uv) * SCALE;
  c += texture(sampler2DArray(texs[1], smp), vec3(uv, layer));
  c += textureLod(sampler2D(tex, smp), uv, 0);
  float s = texture(sampler2DShadow(tex, shadowSmp), vec3(uv, 0.5));
  vec3 arr[3] = vec3[](vec3(1), vec3(2), inp.normal);
  for (int i = 0; i < lights.count; i++) c.rgb += lights.positions[i].xyz;
  c.rgb += sum(arr) * s;
  if (MODE == 2) c *= push.tint;
  int n = lights.positions.length();
  c += subpassLoad(att);
  float pads = cam.pad[1];
  color = c + cam.view[1] * n + cam.proj * vec4(cam.eye, 1) + pads;
  ids = uvec2(n, 3u << 2);
}
