// One name for an attribute, a varying, a variable and a function's local.
struct InOut { @location(0) value: vec4<f32>, @builtin(position) pos: vec4<f32> }
var<private> state: f32;
@vertex fn main(@location(0) value: vec4<f32>, @location(1) state_: f32) -> InOut {
    state = state_;
    let main_ = value * state;
    return InOut(main_, value);
}
