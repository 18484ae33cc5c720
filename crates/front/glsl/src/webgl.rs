//! The versions of WebGL: their limits, and the algorithm that packs uniforms and varyings into rows.

/// The rules of WebGL that a shader is checked against.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum WebGl {
    /// None.
    #[default]
    Off,
    /// Those of the version that the shader is written for, without limits: browsers offer more than the least.
    Rules,
    /// Those of WebGL 1, with its least limits.
    One,
    /// Those of WebGL 2, with its least limits.
    Two,
}

impl From<bool> for WebGl {
    fn from(on: bool) -> Self {
        if on { WebGl::Rules } else { WebGl::Off }
    }
}

/// Rows of four components that every implementation has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Limits {
    pub(crate) vertex_uniforms: u64,
    pub(crate) fragment_uniforms: u64,
    pub(crate) vertex_outputs: u64,
    pub(crate) fragment_inputs: u64,
}

impl WebGl {
    /// Whether rules of WebGL are checked.
    pub const fn is_on(self) -> bool {
        !matches!(self, WebGl::Off)
    }

    /// The limits that are checked: those of the built-in constants in GLSL ES 1.00.17, section 7.4, and GLSL ES 3.00.6,
    /// section 7.3.
    pub(crate) const fn limits(self) -> Option<Limits> {
        match self {
            WebGl::Off | WebGl::Rules => None,
            WebGl::One => {
                Some(Limits { vertex_uniforms: 128, fragment_uniforms: 16, vertex_outputs: 8, fragment_inputs: 8 })
            }
            WebGl::Two => {
                Some(Limits { vertex_uniforms: 256, fragment_uniforms: 224, vertex_outputs: 16, fragment_inputs: 15 })
            }
        }
    }
}

/// Variables of one shape: `count` blocks of `rows` rows and `columns` columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Item {
    pub(crate) columns: u8,
    pub(crate) rows: u64,
    pub(crate) count: u64,
    /// The place in the order of the specification: types that are packed first have less.
    pub(crate) order: u8,
}

/// Whether the variables fit into `height` rows of four columns, by the algorithm of GLSL ES 1.00.17, appendix A, section
/// 7, and GLSL ES 3.00.6, section 11: four columns and three columns one after the other; two columns from the top in the
/// first two columns, then from the bottom in the others; single columns where the smallest space is left.
///
/// Takes time in proportion to the number of items and of rows.
pub(crate) fn fits(items: &[Item], height: u64) -> bool {
    let mut items = items.to_vec();
    items.sort_by_key(|item| (item.order, std::cmp::Reverse(item.rows)));
    let sum = |columns: u8| {
        let rows = items.iter().filter(|i| i.columns == columns).map(|i| i.rows.saturating_mul(i.count));
        rows.fold(0, u64::saturating_add)
    };
    let (four, three) = (sum(4), sum(3));
    let Some(below) = height.checked_sub(four.saturating_add(three)) else { return false };
    // Rows that are free in columns 0 and 1, and in 2 and 3.
    let mut pairs = [below; 2];
    for item in items.iter().filter(|i| i.columns == 2) {
        let mut left = item.count;
        for free in &mut pairs {
            let placed = left.min(free.checked_div(item.rows).unwrap_or(left));
            *free -= placed * item.rows;
            left -= placed;
        }
        if left > 0 {
            return false;
        }
    }
    // The free rows of a column are one range; that of the last begins beside the variables of three columns.
    let mut columns = [pairs[0], pairs[0], pairs[1], pairs[1] + three];
    for item in items.iter().filter(|i| i.columns == 1 && i.rows > 0) {
        for _ in 0..item.count {
            match columns.iter_mut().filter(|free| **free >= item.rows).min_by_key(|free| **free) {
                Some(free) => *free -= item.rows,
                None => return false,
            }
        }
    }
    true
}

/// Number of rows that the variables need; more than `limit`, into which they do not fit.
pub(crate) fn rows_needed(items: &[Item], limit: u64) -> u64 {
    let all = items.iter().map(|i| i.rows.saturating_mul(i.count)).fold(0, u64::saturating_add);
    let (mut low, mut high) = (limit, all.max(limit.saturating_add(1)));
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        *(if fits(items, middle) { &mut high } else { &mut low }) = middle;
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(columns: u8, rows: u64, count: u64) -> Item {
        Item { columns, rows, count, order: 4 - columns }
    }

    /// `vec4 a; mat3 b; vec2 c[6], d[4], e; float f[3], g[2], h;`: 11 rows, of 10 columns 0 and 1 have none for `g`.
    #[test]
    fn each_number_of_columns_has_its_place() {
        let items = [
            item(4, 1, 1),
            item(3, 3, 1),
            item(2, 6, 1),
            item(2, 4, 1),
            item(2, 1, 1),
            item(1, 3, 1),
            item(1, 2, 1),
            item(1, 1, 1),
        ];
        assert!(fits(&items, 11));
        assert!(!fits(&items, 10));
        assert_eq!(rows_needed(&items, 8), 11);
    }

    #[test]
    fn arrays_of_single_columns_share_rows() {
        assert!(fits(&[item(1, 8, 4)], 8));
        assert!(!fits(&[item(1, 8, 4), item(1, 1, 1)], 8));
        assert!(fits(&[item(3, 8, 1), item(1, 8, 1)], 8));
        assert!(!fits(&[item(3, 8, 1), item(2, 1, 1)], 8));
        assert_eq!(rows_needed(&[item(4, 1 << 40, 1 << 40)], 16), u64::MAX);
    }
}
