enable clip_distances;
struct Out { @builtin(position) position: vec4<f32>, @builtin(clip_distances) clip: array<f32, 2> }
@vertex fn main(@location(0) p: vec4<f32>) -> Out {
    var out: Out;
    out.position = p;
    out.clip[0] = p.x;
    out.clip[1] = p.y;
    return out;
}
