// E0707 2:1
var<private> x: array<vec4<f32>, 1000000>;
