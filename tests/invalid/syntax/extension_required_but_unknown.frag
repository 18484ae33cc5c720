// ERROR: E0106 2:12
#extension GL_EXT_raytracing_for_free : require
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0);
}
