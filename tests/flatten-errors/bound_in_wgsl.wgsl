// error: E1101 7
// with: --limit flat_iterations=64
// WGSL's loop, ended by the pixel's value.
@fragment
fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
    var x = at.x;
    loop {
        if x < 1.0 {
            break;
        }
        x = x * 0.5;
    }
    return vec4f(x);
}
