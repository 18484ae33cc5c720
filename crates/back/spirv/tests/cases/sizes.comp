#version 450
// Sizes and numbers that the host gives.
layout(local_size_x = 8, local_size_y = 2, local_size_x_id = 3) in;
layout(local_size_z_id = 5) in;
layout(constant_id = 3) const uint WIDTH = 8u;
layout(constant_id = 4) const float SCALE = 0.5;
layout(std430, binding = 0) buffer B { uvec3 size; uint width; float scale; } b;
void main() {
    b.size = gl_WorkGroupSize;
    b.width = WIDTH * gl_WorkGroupSize.x;
    b.scale = SCALE;
}
