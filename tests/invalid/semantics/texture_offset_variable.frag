// ERROR: E0309 8:41
#version 300 es
precision mediump float;
uniform sampler2D t;
out vec4 color;
void main() {
    ivec2 o = ivec2(1);
    color = textureOffset(t, vec2(0.0), o);
}
