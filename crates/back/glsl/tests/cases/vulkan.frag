#version 450
// write: desktop 450 vulkan, desktop 450, es 310
layout(set = 0, binding = 0) uniform texture2D image;
layout(set = 0, binding = 1) uniform sampler smooth_;
layout(set = 1, binding = 0) uniform sampler2D both;
layout(push_constant) uniform Push { vec4 tint; } push;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
void main() { color = texture(sampler2D(image, smooth_), uv) * push.tint + texture(both, uv) + texelFetch(image, ivec2(0), 0); }
