// ERROR: E0203 3:9
precision mediump float;
uniform sampler3D volume;
void main() {
    gl_FragColor = vec4(1.0);
}
