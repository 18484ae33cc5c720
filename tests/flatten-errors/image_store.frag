// error: E1103 9
// A fragment that stores into an image.
#version 310 es
precision highp float;
precision highp int;
layout(rgba8, binding = 0) writeonly uniform highp image2D canvas;
out vec4 color;
void main() {
    imageStore(canvas, ivec2(gl_FragCoord.xy), vec4(1.0));
    color = vec4(1.0);
}
