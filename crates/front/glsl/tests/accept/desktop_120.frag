#version 120
uniform sampler2D tex; uniform sampler1D t1; uniform sampler2DShadow sh; uniform sampler3D vol;
varying vec3 n; uniform float k = 1;
const float w[3] = float[3](1, 2.0, 3);
float f(float x) { return x; }
void main() {
  float a = 1; int i = 2; a = i; a *= 2; vec3 v = vec3(1, 2, i) * 2;
  mat3 m = mat3(1); m[1] = vec3(0); mat2x3 q = mat2x3(1.0);
  gl_FragColor = texture2D(tex, gl_TexCoord[0].st) + texture1D(t1, a) + shadow2D(sh, n) + gl_Color * f(i) + texture3D(vol, v);
  gl_FragColor.rgb += w[i] * (m * n) + gl_NormalMatrix * n + vec3(q * vec2(1, 0));
}
