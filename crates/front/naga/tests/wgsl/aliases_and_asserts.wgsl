alias Colour = vec4<f32>;
const PI = 3.14159;
const_assert PI > 3.0;
fn tint(c: Colour) -> Colour { return c * PI; }
@fragment fn main() -> @location(0) Colour { return tint(Colour(0.1)); }
