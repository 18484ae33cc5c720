// write: es 100, es 300, desktop 120, desktop 330
attribute vec3 position;
attribute vec2 uv;
uniform mat4 modelView, projection;
uniform lowp float sample;
varying vec2 vUv;
varying mediump float vFog;
void main() {
    vUv = uv * sample;
    vec4 eye = modelView * vec4(position, 1.0);
    vFog = -eye.z;
    gl_Position = projection * eye;
    gl_PointSize = 2.0;
}
