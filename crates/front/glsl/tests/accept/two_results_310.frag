#version 310 es
precision mediump float;
precision highp int;
out vec4 color;
uvec2 raised(ivec2 by) {
  by ^= ivec2(0) >> floatBitsToUint(frexp(vec2(3.25, 0.1), by));
  return uvec2(by);
}
void main() {
  float whole;
  vec4 wholes;
  float rest = modf(1.5, whole);
  vec2 product = mat4x2(0.5) * modf(vec4(0.0), wholes);
  color = vec4(rest, whole, product * vec2(raised(ivec2(1))));
}
