// ERROR: E0106 3:1
// ERROR: E0112 3:10
#include "noise.glsl"
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0);
}
