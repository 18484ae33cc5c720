#version 450
// ERROR: E0404 7:9
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 4) in;
layout(binding = 0) buffer B { float x; };
void main() {
    x = dFdx(x);
}
