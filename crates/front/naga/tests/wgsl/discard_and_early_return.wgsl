@fragment
fn main(@location(0) x: f32) -> @location(0) vec4<f32> {
    if x < 0.0 { discard; }
    for (var i = 0; i < 4; i++) {
        if x > f32(i) { return vec4<f32>(f32(i)); }
        switch i { case 1: { if x == 0.5 { discard; } } default: {} }
    }
    return vec4<f32>(1.0);
}
