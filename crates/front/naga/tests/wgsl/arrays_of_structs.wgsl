struct Cell { value: f32, next: array<u32, 2> }
// expect: 2 1
fn copies() -> vec2<f32> {
    var cells: array<Cell, 3>;
    cells[1].value = 1.0;
    let before = cells;
    var i = 1u;
    cells[i].value = 2.0;
    cells[i].next[i] = 2u;
    return vec2<f32>(cells[cells[1].next[1] - 1u].value, before[1].value);
}
// expect: 1 2 3 4 5 6
fn nested_arrays() -> array<array<i32, 3>, 2> {
    var x = array<array<i32, 3>, 2>();
    for (var i = 0; i < 6; i++) { x[i / 3][i % 3] = i + 1; }
    return x;
}
