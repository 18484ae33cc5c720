float map(vec3 p) { return length(p) - 1.0 + iTime * 0.0; }
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
  vec2 uv = fragCoord / iResolution.xy; vec3 col = 0.5 + 0.5 * cos(iTime + uv.xyx + vec3(0, 2, 4));
  col += texture(iChannel0, uv).rgb + textureLod(iChannel1, vec3(uv, 1.0), 0.).rgb * iMouse.z + iChannelResolution[0].x + float(iFrame) + iDate.w; fragCoord += 1.0;
  fragColor = vec4(col * map(vec3(uv, 1.0)), 1.0);
}
