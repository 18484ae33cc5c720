#version 300 es
precision highp float;

// What the formats are shown with: a texture, uniforms in and out of a block, a select, a mask, two outputs' worth of sharing.
uniform float time;
uniform vec4 lights[3];
layout(std140) uniform Fog {
  mat3 turn;
  vec3 colour;
  float density;
} fog;
uniform sampler2D albedo;
in vec2 uv;
flat in int light;
layout(location = 0) out vec4 color;

void main() {
  vec4 texel = texture(albedo, uv + 0.01 * sin(time));
  if (texel.a < 0.5) discard;
  vec3 lit = texel.rgb * lights[light].rgb;
  float fade = 1.0 - exp(-fog.density * uv.y);
  if (uv.x > 0.5) lit = fog.turn * lit;
  color = vec4(mix(lit, fog.colour, fade), 1.0);
}
