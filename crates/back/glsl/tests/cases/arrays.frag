#version 300 es
// write: es 300, es 310, desktop 430, es 100
precision highp float;
uniform int i;
const float kernel[5] = float[5](0.1, 0.2, 0.4, 0.2, 0.1);
out vec4 color;
float total(float values[5]) { float s = 0.0; for (int k = 0; k < values.length(); k++) s += values[k]; return s; }
void main() {
    vec2 points[3] = vec2[3](vec2(0.0), vec2(1.0, 0.0), vec2(0.5, 1.0));
    points[i] *= kernel[i];
    vec2 copy[3] = points;
    copy[1].x = total(kernel);
    color = vec4(copy[1], points[2]) * (copy == points ? 1.0 : 2.0);
}
