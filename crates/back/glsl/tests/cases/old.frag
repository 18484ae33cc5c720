#extension GL_OES_standard_derivatives : enable
#extension GL_EXT_shader_texture_lod : enable
#extension GL_EXT_frag_depth : enable
// write: es 100, es 300, desktop 120, desktop 450
precision mediump float;
uniform sampler2D image;
uniform samplerCube env;
uniform mat4 texture;
varying vec2 vUv;
varying highp vec3 normal;
void main() {
    vec4 c = texture2D(image, vUv) + texture2D(image, vUv, 0.5) + texture2DProj(image, vec3(vUv, 1.0));
    c += textureCube(env, normal) + texture2DLodEXT(image, vUv, 1.0) + textureCubeLodEXT(env, normal, 2.0);
    c.rg += fwidth(vUv) + dFdx(vUv);
    gl_FragDepthEXT = c.r;
    gl_FragColor = texture * c;
}
