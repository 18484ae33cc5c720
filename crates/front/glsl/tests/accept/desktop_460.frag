#version 460
layout(location=0) out vec4 color; layout(location=0) in vec4 v; layout(binding=0) uniform sampler2D t[2][3];
struct Inner { vec2 p; }; struct S { float a[2][3]; Inner inner; } ;
const S cs = { { {1,2,3}, {4,5,6} }, { {7, 8} } };
float arr[2][3] = float[2][3](float[3](1,2,3), float[](4,5,6));
vec4 g = v * 2; 
void modify(inout float x, out vec2 y) { y = vec2(x); x += 1; }
int side = 0; int eff() { return ++side; }
void main() {
  S s = cs; s.a[1][2] = 3; float q = arr[eff() % 2][eff() % 3]; vec4 w; modify(s.a[0][1], w.zx); modify(w.y, s.inner.p);
  bool b = eff() > 1 && eff() < 3 || side == 2; float x = 1.0.xxx.y; float l = v.length() + arr.length() + arr[0].length();
  color = vec4(q, x, l, b ? 1 : 0) + g + texture(t[1][2], v.xy) + w; color.x = float(s == cs);
  for (int i = 0, j = 10; i < j; i++, j--) { if (i == 3) continue; if (j == 5) break; color.y += i; }
  int k = 0; do { k++; if (k > 4) continue; } while (k < 10); while (bool go = k-- > 0) { color.z++; }
  color = -color; color.xy = color.yx; color[2] = color[k]; mat4 m = mat4(color, v, w, g); m[k][2] = 1; m++; color *= m; color = m * color;
  if (color.x < 0) discard;
  uint u = 5u; u <<= 2; u |= 1u; ivec3 iv = ivec3(1) << 2u; iv %= 3; color.xyz += iv;
}
