//! Varyings: the vertex shader that passes a fragment shader its inputs.

/// Component type of a varying.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// `float`, `vecN`, `matCxR`.
    Float,
    /// `int`, `ivecN`; flat.
    Int,
    /// `uint`, `uvecN`; flat.
    Uint,
}

/// An input of a fragment shader that changes evenly over the picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Varying {
    /// Its name.
    pub name: String,
    /// Its `layout(location)`, where it has one.
    pub location: Option<u32>,
    /// Type of its components.
    pub scalar: Scalar,
    /// Whether it is `flat`: then its slopes are zero.
    pub flat: bool,
    /// Columns of the matrix type; 1 for scalars and vectors.
    pub columns: usize,
    /// Components of a column, or of the vector.
    pub rows: usize,
    /// Elements, if it is an array.
    pub length: Option<usize>,
    /// The value at the lower left corner of the picture, component by component, column by column, element by element.
    pub at_origin: Vec<f32>,
    /// Increase of each component from the left edge to the right one.
    pub along_x: Vec<f32>,
    /// Increase of each component from the lower edge to the upper one.
    pub along_y: Vec<f32>,
}

impl Varying {
    /// The type's name.
    fn type_name(&self) -> String {
        let prefix = match self.scalar {
            Scalar::Float => "",
            Scalar::Int => "i",
            Scalar::Uint => "u",
        };
        match (self.columns, self.rows, self.scalar) {
            (1, 1, Scalar::Float) => "float".into(),
            (1, 1, Scalar::Int) => "int".into(),
            (1, 1, Scalar::Uint) => "uint".into(),
            (1, rows, _) => format!("{prefix}vec{rows}"),
            (columns, rows, _) if columns == rows => format!("mat{columns}"),
            (columns, rows, _) => format!("mat{columns}x{rows}"),
        }
    }

    /// The constructor of one column, and the type of its attribute.
    fn column_type(&self) -> String {
        Varying { columns: 1, ..self.clone() }.type_name()
    }

    /// Number of columns of all elements.
    fn all_columns(&self) -> usize {
        self.columns * self.length.unwrap_or(1)
    }

    /// The components at a point of the picture, with (0, 0) at the lower left corner and (1, 1) at the upper right one.
    fn at(&self, [x, y]: [f32; 2]) -> Vec<f32> {
        let components = self.at_origin.iter().zip(&self.along_x).zip(&self.along_y);
        components.map(|((origin, dx), dy)| origin + dx * x + dy * y).collect()
    }
}

/// The vertex shader that writes the varyings, the names of its attributes (each a vector of four floats) and the
/// attributes' values for the three vertices.
pub(crate) struct Feeder {
    pub(crate) source: String,
    pub(crate) attributes: Vec<String>,
    pub(crate) vertices: Vec<f32>,
}

/// One triangle that covers the picture, with corners in clip space. The picture is its inner square, so all pixels
/// have the same derivatives.
const CORNERS: [[f32; 2]; 3] = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]];

/// Makes the feeder, in the GLSL that fits a fragment shader of the version line `version`.
pub(crate) fn feeder(version: &str, varyings: &[Varying]) -> Feeder {
    let old = is_old(version);
    let mut declarations = format!("{version}\n{} vec4 planish_corner;\n", if old { "attribute" } else { "in" });
    let mut body = "gl_Position = planish_corner;".to_string();
    let mut attributes = vec!["planish_corner".to_string()];
    for varying in varyings {
        let name = &varying.name;
        let flat = if varying.flat { "flat " } else { "" };
        let location = varying.location.filter(|_| has_locations(version));
        let layout = location.map(|n| format!("layout(location = {n}) ")).unwrap_or_default();
        let out = if old { "varying".to_string() } else { format!("{layout}{flat}out") };
        let array = varying.length.map(|n| format!("[{n}]")).unwrap_or_default();
        declarations += &format!("{out} {} {name}{array};\n", varying.type_name());
        for i in 0..varying.all_columns() {
            let attribute = format!("planish_{}_{i}", attributes.len());
            let element = varying.length.map(|_| format!("[{}]", i / varying.columns)).unwrap_or_default();
            let column = if varying.columns > 1 { format!("[{}]", i % varying.columns) } else { String::new() };
            let swizzle = &"xyzw"[..varying.rows];
            body += &format!("\n    {name}{element}{column} = {}({attribute}.{swizzle});", varying.column_type());
            declarations += &format!("{} vec4 {attribute};\n", if old { "attribute" } else { "in" });
            attributes.push(attribute);
        }
    }
    let vertices = CORNERS.iter().flat_map(|corner| vertex(varyings, *corner)).collect();
    Feeder { source: format!("{declarations}void main() {{\n    {body}\n}}\n"), attributes, vertices }
}

/// All attributes of one vertex.
fn vertex(varyings: &[Varying], corner: [f32; 2]) -> Vec<f32> {
    let mut values = vec![corner[0] * 2.0 - 1.0, corner[1] * 2.0 - 1.0, 0.0, 1.0];
    for varying in varyings {
        for column in varying.at(corner).chunks(varying.rows) {
            values.extend(column);
            values.extend(std::iter::repeat_n(0.0, 4 - varying.rows));
        }
    }
    values
}

/// Whether the version has `attribute` and `varying` rather than `in` and `out`.
fn is_old(version: &str) -> bool {
    let number = number(version);
    number < 130 || number == 100
}

/// Whether varyings may have locations in both stages.
fn has_locations(version: &str) -> bool {
    let number = number(version);
    if version.contains("es") { number >= 310 } else { number >= 410 }
}

fn number(version: &str) -> u32 {
    version.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeds_each_kind_of_type() {
        let uv = Varying {
            name: "uv".into(),
            location: Some(1),
            scalar: Scalar::Float,
            flat: false,
            columns: 1,
            rows: 2,
            length: None,
            at_origin: vec![0.0, 0.5],
            along_x: vec![1.0, 0.0],
            along_y: vec![0.0, 2.0],
        };
        let frames = Varying {
            name: "frames".into(),
            columns: 3,
            rows: 2,
            length: Some(2),
            at_origin: (0..12).map(|i| i as f32).collect(),
            along_x: vec![0.0; 12],
            along_y: vec![0.0; 12],
            ..uv.clone()
        };
        let (at_origin, along_x, along_y) = (vec![0.5], vec![1.0], vec![0.0]);
        let name = "id".into();
        let id = Varying { name, scalar: Scalar::Uint, flat: true, rows: 1, at_origin, along_x, along_y, ..uv.clone() };
        let feeder = feeder("#version 310 es", &[uv, frames, id]);
        let lines: Vec<&str> = feeder.source.lines().map(str::trim).collect();
        assert!(lines.contains(&"layout(location = 1) out vec2 uv;"));
        assert!(lines.contains(&"layout(location = 1) out mat3x2 frames[2];"));
        assert!(lines.contains(&"layout(location = 1) flat out uint id;"));
        assert!(lines.contains(&"frames[1][2] = vec2(planish_7_5.xy);"), "{}", feeder.source);
        assert!(lines.contains(&"id = uint(planish_8_0.x);"), "{}", feeder.source);
        assert_eq!(feeder.attributes.len(), 9);
        assert_eq!(feeder.vertices[..8], [-1.0, -1.0, 0.0, 1.0, 0.0, 0.5, 0.0, 0.0]);
        assert_eq!(feeder.vertices[32..44], [0.5, 0.0, 0.0, 0.0, 3.0, -1.0, 0.0, 1.0, 2.0, 0.5, 0.0, 0.0]);
        assert_eq!(feeder.vertices.len(), 3 * 9 * 4);
    }

    #[test]
    fn speaks_the_fragment_shaders_version() {
        assert!(is_old("") && is_old("#version 100") && is_old("#version 120"));
        assert!(!is_old("#version 300 es") && !is_old("#version 330 core"));
        assert!(!has_locations("#version 300 es") && !has_locations("#version 330") && has_locations("#version 450"));
    }
}
