// An entry point that does nothing, and two of one stage.
@fragment fn nothing() {}
@fragment fn something() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }
@compute @workgroup_size(1) fn empty() { }
