// E0701 2:9
fn f(x: float4) {}
