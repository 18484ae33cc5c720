#version 300 es
precision mediump float;
out vec4 color;
void dark() { color = vec4(0.0); }
void light() { color = vec4(1.0); }
void main() {
    color = vec4(0.5);
    color.x > 0.25 ? dark() : light();
    true ? light() : dark();
}
