#extension GL_OES_standard_derivatives : enable
#extension GL_EXT_shader_texture_lod : enable
#extension GL_EXT_draw_buffers : require
precision mediump float; varying vec2 uv; uniform sampler2D t; uniform samplerCube c; uniform vec4 cols[8]; uniform bool on; uniform bvec2 bv;
struct S { vec2 a; float b; }; float f(S s, inout vec2 o, const int k) { o += s.a; for (int i = 0; i < 4; i++) { if (i == k) continue; o.x += s.b; } return o.y; }
vec3 mix(vec3 a) { return a; }
void main() { vec2 o = uv; S s = S(uv, 1.0); float x = f(s, o, 2); bool sin = true; gl_FragData[0] = texture2D(t, uv) + textureCube(c, vec3(uv, x)) + texture2DLodEXT(t, uv, 1.0); gl_FragData[1] = cols[3] + float(sin) + fwidth(uv.x) + texture2DProj(t, vec3(uv, 1.0)) + vec4(mix(vec3(1)), on ? 1. : 0.); { float uv = 1.0; x += uv; } float uv = x; gl_FragData[1].x = uv; if (bv == bvec2(true, false)) gl_FragData[0] = vec4(gl_FragCoord.xy, gl_PointCoord); gl_FragData[0].x += gl_DepthRange.near + float(gl_MaxDrawBuffers); }
