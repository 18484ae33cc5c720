fn inverse_2x2(m: mat2x2f) -> mat2x2f {
    let t = m[0].x * m[1].y - m[1].x * m[0].y;
    return mat2x2f(vec2f(m[1].y, -m[0].y) / t, vec2f(-m[1].x, m[0].x) / t);
}

fn inverse_3x3(m: mat3x3f) -> mat3x3f {
    let t = m[0].x * (m[1].y * m[2].z - m[2].y * m[1].z) - m[0].y * (m[1].x * m[2].z - m[2].x * m[1].z);
    let t_1 = t + m[0].z * (m[1].x * m[2].y - m[2].x * m[1].y);
    let t_2 = vec3f(m[1].y * m[2].z - m[2].y * m[1].z, -(m[0].y * m[2].z - m[2].y * m[0].z), m[0].y * m[1].z - m[1].y * m[0].z);
    let t_3 = vec3f(-(m[1].x * m[2].z - m[2].x * m[1].z), m[0].x * m[2].z - m[2].x * m[0].z, -(m[0].x * m[1].z - m[1].x * m[0].z));
    let t_4 = vec3f(m[1].x * m[2].y - m[2].x * m[1].y, -(m[0].x * m[2].y - m[2].x * m[0].y), m[0].x * m[1].y - m[1].x * m[0].y);
    return mat3x3f(t_2 / t_1, t_3 / t_1, t_4 / t_1);
}

fn inverse_4x4(m: mat4x4f) -> mat4x4f {
    let t = m[1].y * (m[2].z * m[3].w - m[3].z * m[2].w) - m[1].z * (m[2].y * m[3].w - m[3].y * m[2].w);
    let t_1 = m[1].x * (m[2].z * m[3].w - m[3].z * m[2].w) - m[1].z * (m[2].x * m[3].w - m[3].x * m[2].w);
    let t_2 = m[0].x * (t + m[1].w * (m[2].y * m[3].z - m[3].y * m[2].z));
    let t_3 = m[0].y * (t_1 + m[1].w * (m[2].x * m[3].z - m[3].x * m[2].z));
    let t_4 = m[1].x * (m[2].y * m[3].w - m[3].y * m[2].w) - m[1].y * (m[2].x * m[3].w - m[3].x * m[2].w);
    let t_5 = m[0].z * (t_4 + m[1].w * (m[2].x * m[3].y - m[3].x * m[2].y));
    let t_6 = m[1].x * (m[2].y * m[3].z - m[3].y * m[2].z) - m[1].y * (m[2].x * m[3].z - m[3].x * m[2].z);
    let t_7 = m[0].w * (t_6 + m[1].z * (m[2].x * m[3].y - m[3].x * m[2].y));
    let t_8 = m[1].y * (m[2].z * m[3].w - m[3].z * m[2].w) - m[1].z * (m[2].y * m[3].w - m[3].y * m[2].w);
    let t_9 = m[0].y * (m[2].z * m[3].w - m[3].z * m[2].w) - m[0].z * (m[2].y * m[3].w - m[3].y * m[2].w);
    let t_10 = m[0].y * (m[1].z * m[3].w - m[3].z * m[1].w) - m[0].z * (m[1].y * m[3].w - m[3].y * m[1].w);
    let t_11 = m[0].y * (m[1].z * m[2].w - m[2].z * m[1].w) - m[0].z * (m[1].y * m[2].w - m[2].y * m[1].w);
    let t_12 = m[1].x * (m[2].z * m[3].w - m[3].z * m[2].w) - m[1].z * (m[2].x * m[3].w - m[3].x * m[2].w);
    let t_13 = m[0].x * (m[2].z * m[3].w - m[3].z * m[2].w) - m[0].z * (m[2].x * m[3].w - m[3].x * m[2].w);
    let t_14 = m[0].x * (m[1].z * m[3].w - m[3].z * m[1].w) - m[0].z * (m[1].x * m[3].w - m[3].x * m[1].w);
    let t_15 = m[0].x * (m[1].z * m[2].w - m[2].z * m[1].w) - m[0].z * (m[1].x * m[2].w - m[2].x * m[1].w);
    let t_16 = m[1].x * (m[2].y * m[3].w - m[3].y * m[2].w) - m[1].y * (m[2].x * m[3].w - m[3].x * m[2].w);
    let t_17 = m[0].x * (m[2].y * m[3].w - m[3].y * m[2].w) - m[0].y * (m[2].x * m[3].w - m[3].x * m[2].w);
    let t_18 = m[0].x * (m[1].y * m[3].w - m[3].y * m[1].w) - m[0].y * (m[1].x * m[3].w - m[3].x * m[1].w);
    let t_19 = m[0].x * (m[1].y * m[2].w - m[2].y * m[1].w) - m[0].y * (m[1].x * m[2].w - m[2].x * m[1].w);
    let t_20 = m[1].x * (m[2].y * m[3].z - m[3].y * m[2].z) - m[1].y * (m[2].x * m[3].z - m[3].x * m[2].z);
    let t_21 = m[0].x * (m[2].y * m[3].z - m[3].y * m[2].z) - m[0].y * (m[2].x * m[3].z - m[3].x * m[2].z);
    let t_22 = m[0].x * (m[1].y * m[3].z - m[3].y * m[1].z) - m[0].y * (m[1].x * m[3].z - m[3].x * m[1].z);
    let t_23 = m[0].x * (m[1].y * m[2].z - m[2].y * m[1].z) - m[0].y * (m[1].x * m[2].z - m[2].x * m[1].z);
    let t_24 = t_2 - t_3 + t_5 - t_7;
    let t_25 = vec4f(t_8 + m[1].w * (m[2].y * m[3].z - m[3].y * m[2].z), -(t_9 + m[0].w * (m[2].y * m[3].z - m[3].y * m[2].z)), t_10 + m[0].w * (m[1].y * m[3].z - m[3].y * m[1].z), -(t_11 + m[0].w * (m[1].y * m[2].z - m[2].y * m[1].z)));
    let t_26 = vec4f(-(t_12 + m[1].w * (m[2].x * m[3].z - m[3].x * m[2].z)), t_13 + m[0].w * (m[2].x * m[3].z - m[3].x * m[2].z), -(t_14 + m[0].w * (m[1].x * m[3].z - m[3].x * m[1].z)), t_15 + m[0].w * (m[1].x * m[2].z - m[2].x * m[1].z));
    let t_27 = vec4f(t_16 + m[1].w * (m[2].x * m[3].y - m[3].x * m[2].y), -(t_17 + m[0].w * (m[2].x * m[3].y - m[3].x * m[2].y)), t_18 + m[0].w * (m[1].x * m[3].y - m[3].x * m[1].y), -(t_19 + m[0].w * (m[1].x * m[2].y - m[2].x * m[1].y)));
    let t_28 = vec4f(-(t_20 + m[1].z * (m[2].x * m[3].y - m[3].x * m[2].y)), t_21 + m[0].z * (m[2].x * m[3].y - m[3].x * m[2].y), -(t_22 + m[0].z * (m[1].x * m[3].y - m[3].x * m[1].y)), t_23 + m[0].z * (m[1].x * m[2].y - m[2].x * m[1].y));
    return mat4x4f(t_25 / t_24, t_26 / t_24, t_27 / t_24, t_28 / t_24);
}

fn sum(m: mat2x2f) -> f32 {
    return m[0].x + m[0].y * 2.0 + m[1].x * 3.0 + m[1].y * 5.0;
}

fn sum_1(m: mat3x3f) -> f32 {
    var w = vec3f(1.0, 2.0, 3.0);
    return dot(m[0], w) + dot(m[1], w) * 2.0 + dot(m[2], w) * 3.0;
}

fn sum_2(m: mat4x4f) -> f32 {
    var w = vec4f(1.0, 2.0, 3.0, 5.0);
    return dot(m * w, w.wzyx);
}

@fragment
fn main(@builtin(position) frag_coord: vec4f) -> @location(0) vec4f {
    let p = frag_coord.xy / 16.0 + 0.25;
    let i = i32(frag_coord.x) % 3;
    let j = i32(frag_coord.y) % 3;
    let a = mat2x2f(vec2f(p.x, 2.0), vec2f(p.y, 1.0));
    var b = mat3x3f(vec3f(p.x, 2.0, 1.0), vec3f(0.5, p.y, 3.0), vec3f(1.0, 0.0, 2.0));
    let b_was = b;
    var c = mat4x4f(vec4f(b_was[0], 0.0), vec4f(b_was[1], 0.0), vec4f(b_was[2], 0.0), vec4f(0.0, 0.0, 0.0, 1.0));
    c[3] = vec4f(p, 1.0, 4.0);
    c[2].w = p.x;
    let p_was = p;
    let t = p.yx;
    let d = mat2x3f(vec3f(p_was.x, p_was.y, 1.0), vec3f(2.0, t.x, t.y));
    let e = transpose(d);
    var r = sum(inverse_2x2(a)) + sum_1(inverse_3x3(b)) * 0.5;
    var s = sum_2(inverse_4x4(c)) + determinant(b) + determinant(c);
    let a_was = a;
    let a_was_1 = a;
    let t_1 = a + mat2x2f(vec2f(2.0), vec2f(2.0));
    let a_was_2 = a;
    let a_was_3 = a;
    let t_2 = sum(mat2x2f(a_was[0] * a_was_1[0], a_was[1] * a_was_1[1])) + sum(mat2x2f(a_was_2[0] / t_1[0], a_was_2[1] / t_1[1]));
    let a_was_4 = a;
    let t_3 = t_2 + sum(mat2x2f(-a_was_3[0], -a_was_3[1])) + sum(a - mat2x2f(vec2f(1.0), vec2f(1.0))) + sum(a * 2.0) + sum(mat2x2f(a_was_4[0] / 2.0, a_was_4[1] / 2.0));
    s += t_3;
    var f = a;
    f += mat2x2f(vec2f(1.0), vec2f(1.0));
    f -= mat2x2f(vec2f(1.0), vec2f(1.0));
    f *= a;
    f += mat2x2f(vec2f(3.0, 0.0), vec2f(0.0, 3.0));
    let p_was_1 = p;
    let t_4 = p.yx;
    r += sum(f) + sum(mat2x2f(p_was_1 * t_4.x, p_was_1 * t_4.y)) + sum_1(d * e) + sum(e * d);
    b[i][j] += 1.0;
    b[j] = b[i].zxy;
    var v = b[i];
    v[j] = 7.0;
    let t_5 = v.xy;
    v.z = t_5.x;
    v.x = t_5.y;
    let g = sum_1(b) + dot(v, b[j]) + (v * b).y + (b * v).z;
    let t_6 = mat2x2f(p, p);
    let h = mat4x4f(vec4f(t_6[0], 0.0, 0.0), vec4f(t_6[1], 0.0, 0.0), vec4f(0.0, 0.0, 1.0, 0.0), vec4f(0.0, 0.0, 0.0, 1.0));
    let c_was = c;
    let k = mat2x2f(c_was[0].xy, c_was[1].xy);
    let k_was = k;
    let l = mat3x4f(vec4f(k_was[0], 0.0, 0.0), vec4f(k_was[1], 0.0, 0.0), vec4f(0.0, 0.0, 1.0, 0.0));
    let t_7 = mat2x2f(vec2f(p.x, 2.0), vec2f(p.y, 1.0));
    let a_was_5 = a;
    let same = all(a_was_5[0] == t_7[0]) && all(a_was_5[1] == t_7[1]);
    let k_was_1 = k;
    let a_was_6 = a;
    let other = !(all(a_was_6[0] == k_was_1[0]) && all(a_was_6[1] == k_was_1[1]));
    return vec4f(r, s * 0.1, g + sum_2(h), sum(k) + l[2].z + f32(same) + f32(other) * 2.0);
}
