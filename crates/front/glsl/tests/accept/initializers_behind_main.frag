#version 330
uniform float u;
float before = u * 2.0;
float sum();
out vec4 color;
void main() {
    color = vec4(sum());
}
float behind = before + u;
const float C = 3.0;
float constant = C;
float more = behind * constant;
float sum() {
    return before + behind + more;
}
