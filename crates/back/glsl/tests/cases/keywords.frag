// write: es 300, es 310, desktop 450
precision mediump float;
uniform float buffer;
uniform float layout;
varying float uint;
float round(float x) { return floor(x + 0.5); }
float texture(float sample) { float patch = sample; return patch * layout; }
void main() { float distance = round(buffer); float mix = texture(distance); gl_FragColor = vec4(mix, uint, length(vec2(mix)), 1.0); }
