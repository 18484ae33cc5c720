#version 300 es
precision highp float; precision highp sampler2DArray; precision mediump int; precision highp usampler2D;
uniform sampler2D t; uniform highp sampler2DShadow sh; uniform sampler2DArray arr; uniform usampler2D ut; uniform samplerCube cube;
in vec2 uv; flat in uint flags; centroid in vec3 c; layout(location = 0) out vec4 color; layout(location=1) out uvec4 data;
uniform Mats { layout(row_major) mat4 m; mat2x3 n[2]; } mats[2]; layout(std140, column_major) uniform Other { mediump vec4 o; };
struct L { vec3 p; lowp float i; }; uniform L ls[4]; struct W { sampler2D s; float k; }; uniform W ws;
const int N = 3 + 4 * 2; const vec2 offs[3] = vec2[3](vec2(1), vec2(2), vec2(3)); 
float noise(vec2 p); float noise(vec3 p) { return noise(p.xy) * p.z; } float noise(vec2 p) { return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453); }
vec4 smp(sampler2D s, vec2 p) { p.x += 1.0; return texture(s, p); }
void main() {
  float a[N]; a[0] = 1.0; a[N - 1] = uv.x; float x = noise(vec3(uv, 1.0)) + a[int(flags) % N];
  x += texture(sh, vec3(uv, 0.5)) + textureProj(sh, vec4(uv, 0.5, 1.0)) + textureLod(arr, vec3(uv, 1.0), 2.0).x + float(texelFetch(ut, ivec2(uv), 0).x);
  x += float(textureSize(t, 0).x) + textureGrad(t, uv, dFdx(uv), dFdy(uv)).x + textureOffset(t, uv, ivec2(1, -1)).y + texture(cube, c, 1.0).z;
  for (int i = 0; i < 3; i++) x += offs[i].x;
  color = smp(t, uv) * x + mats[1].m * o + vec4(mats[0].n[1] * uv, 1.0) + ls[1].i + texture(ws.s, uv) * ws.k;
  uint h = floatBitsToUint(x) ^ (flags >> 3u); h = h * 747796405u + 2891336453u; data = uvec4(h, ~h, h & 255u, packHalf2x16(uv));
  int ip; color.x = isnan(x) ? 0.0 : mix(1.0, 2.0, x > 0.0); float whole; color.y = modf(x, whole); color.z = whole; mat3 inv = inverse(mat3(1.0)) * transpose(mat3(2)); color.xyz *= inv; color.w = determinant(inv); bvec3 bb = lessThan(c, vec3(1.0)); if (any(bb) && !all(not(bb)) ^^ true) color.w = 0.0;
  mat2 om = outerProduct(uv, uv); color.xy = matrixCompMult(om, om) * uv; gl_FragDepth = round(x) + float(gl_FrontFacing); 
}
