#version 400
in vec2 uv; out vec4 color; uniform sampler2D t; uniform dmat3 dm; uniform samplerCubeArray ca;
double sq(double x) { return x * x; }
float pick(float a) { return a; } 
float pick(double a) { return 2.0; }
int pick(int a) { return a; }
void main() {
  double d = 1; d += uv.x; d = sq(3); dvec3 dv = dm * dvec3(1, 2, d); uint u = 1; u = 3 + u;
  float f = float(dv.x) + pick(1u) + pick(2) + pick(1.0lf) + pick(2.0);
  color = textureGather(t, uv, 1) + vec4(fma(f, 2.0, 1.0)) + texture(ca, vec4(uv, 1, 2));
  color += vec4(uv, vec2(bitfieldExtract(5, 1, 2)));
  precise float p = f * 2 + 1; color.x += p; int e; float m = frexp(f, e); color.y += m + e;
  switch (e) { case 0: case 1: color = vec4(0); break; case 2: color.x = 1; default: color.y = 2; }
  color += interpolateAtCentroid(uv).xyxy;
}
