// ERROR: E0404 4:8
#version 300 es
precision mediump float;
layout(depth_less) out highp float gl_FragDepth;
out vec4 color;
void main() {
    color = vec4(1.0);
    gl_FragDepth = 0.5;
}
