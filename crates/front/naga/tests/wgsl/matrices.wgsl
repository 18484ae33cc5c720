// Matrices of every shape, by column and by component.
struct Matrices { a: mat2x3<f32>, b: mat3x2<f32>, c: mat4x3<f32>, d: mat2x4<f32> }
@group(0) @binding(0) var<storage, read_write> m: Matrices;
// expect: 1 2 3 4 5 6
fn by_columns() -> mat2x3<f32> { var x = 1.0; return mat2x3<f32>(vec3<f32>(x, 2.0, 3.0), vec3<f32>(4.0, 5.0, 6.0)); }
// expect: 22 28 49 64
fn product() -> mat2x2<f32> {
    var a = mat3x2<f32>(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
    return a * mat2x3<f32>(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
}
@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {
    m.b = transpose(m.a);
    m.a[i][i + 1u] = 2.0;
    m.c[1].x += m.d[0].w;
    m.d = mat2x4<f32>();
}
