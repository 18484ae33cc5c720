//! Coordinates: layers, and the faces of cubes.

use planish_ir::entity::{Type, Value};
use planish_ir::ops::Op;
use planish_ir::types::Dim;

use super::write::{Axes, Place, Writer};

/// A position on a face of a cube: its number, and `s`, `t` and `m` as in OpenGL.
#[derive(Clone, Copy)]
pub(super) struct Face {
    pub(super) number: Value,
    pub(super) s: Value,
    pub(super) t: Value,
    pub(super) m: Value,
}

impl Writer<'_, '_, '_> {
    /// The position of coordinates.
    pub(super) fn place(&mut self, c: &[Value]) -> Place {
        let layers = self.texture.sizes[0][2];
        let is_arrayed = self.texture.image.arrayed;
        if self.dim() == Dim::Cube {
            let face = self.face([c[0], c[1], c[2]]);
            let at = [face.s, face.t].into_iter().map(|x| self.on_face(x, face.m)).collect();
            let layer = if is_arrayed {
                let cube = self.nearest_layer(c[3], layers / 6);
                let six = self.b.i32(6);
                let first = self.two(Op::Multiply, cube, six);
                self.two(Op::Add, first, face.number)
            } else {
                face.number
            };
            return Place { at, layer: Some(layer) };
        }
        let axes = self.axes();
        let layer = is_arrayed.then(|| self.nearest_layer(c[axes], layers));
        Place { at: c[..axes].iter().copied().collect(), layer }
    }

    /// A NaN and negative numbers become 0.
    fn nearest_layer(&mut self, x: Value, count: u32) -> Value {
        let (zero, most) = (self.b.f32(0.0), self.b.f32(count.saturating_sub(1) as f32));
        let x = self.b.op(Op::RoundEven, &[x]);
        let x = self.two(Op::Max, zero, x);
        let x = self.two(Op::Min, x, most);
        self.b.convert(x, Type::I32)
    }

    /// `(x / m + 1) / 2`
    pub(super) fn on_face(&mut self, x: Value, m: Value) -> Value {
        let (one, two) = (self.b.f32(1.0), self.b.f32(2.0));
        let x = self.two(Op::Divide, x, m);
        let x = self.two(Op::Add, x, one);
        self.two(Op::Divide, x, two)
    }

    /// The face of a direction.
    pub(super) fn face(&mut self, [x, y, z]: [Value; 3]) -> Face {
        let [ax, ay, az] = [x, y, z].map(|c| self.b.op(Op::Abs, &[c]));
        let [nx, ny, nz] = [x, y, z].map(|c| self.b.op(Op::Negate, &[c]));
        let zero = self.b.f32(0.0);
        let [px, py, pz] = [x, y, z].map(|c| self.b.op(Op::GreaterThanEqual, &[c, zero]));
        let (beside_y, beside_z) = (self.two(Op::GreaterThanEqual, ax, ay), self.two(Op::GreaterThanEqual, ax, az));
        let is_x = self.two(Op::LogicalAnd, beside_y, beside_z);
        let is_y = self.two(Op::GreaterThanEqual, ay, az);
        let mut among = |of_x: Value, of_y: Value, of_z: Value| {
            let rest = self.b.op(Op::Select, &[is_y, of_y, of_z]);
            self.b.op(Op::Select, &[is_x, of_x, rest])
        };
        let m = among(ax, ay, az);
        let mut either = |is: Value, then: Value, otherwise: Value| self.b.op(Op::Select, &[is, then, otherwise]);
        let (sx, sz) = (either(px, nz, z), either(pz, x, nx));
        let ty = either(py, z, nz);
        let numbers = [0, 1, 2, 3, 4, 5].map(|number| self.b.i32(number));
        let mut either = |is: Value, then: usize| self.b.op(Op::Select, &[is, numbers[then], numbers[then + 1]]);
        let (nx, n_y, nz) = (either(px, 0), either(py, 2), either(pz, 4));
        let mut among = |of_x: Value, of_y: Value, of_z: Value| {
            let rest = self.b.op(Op::Select, &[is_y, of_y, of_z]);
            self.b.op(Op::Select, &[is_x, of_x, rest])
        };
        Face { number: among(nx, n_y, nz), s: among(sx, x, sz), t: among(ny, ty, ny), m }
    }

    /// Derivative of the coordinates on a face, from that of the direction.
    pub(super) fn face_change(&mut self, c: &[Value], d: &[Value]) -> Axes {
        let face = self.face([c[0], c[1], c[2]]);
        let [x, y, z] = [d[0], d[1], d[2]];
        let [nx, ny, nz] = [x, y, z].map(|c| self.b.op(Op::Negate, &[c]));
        let by_face = [[nz, ny, x], [z, ny, nx], [x, z, y], [x, nz, ny], [x, ny, z], [nx, ny, nz]];
        let [ds, dt, dm] = self.of_face(face.number, by_face);
        let square = self.two(Op::Multiply, face.m, face.m);
        let two = self.b.f32(2.0);
        [(ds, face.s), (dt, face.t)]
            .into_iter()
            .map(|(change, at)| {
                let first = self.b.op(Op::Multiply, &[change, face.m]);
                let second = self.b.op(Op::Multiply, &[at, dm]);
                let difference = self.b.op(Op::Subtract, &[first, second]);
                let quotient = self.b.op(Op::Divide, &[difference, square]);
                self.b.op(Op::Divide, &[quotient, two])
            })
            .collect()
    }

    /// The values of the face with a number.
    fn of_face(&mut self, number: Value, values: [[Value; 3]; 6]) -> [Value; 3] {
        let mut chosen = values[5];
        for (i, values) in values.into_iter().enumerate().take(5).rev() {
            let i = self.b.i32(i as i32);
            let is = self.two(Op::Equal, number, i);
            chosen = [0, 1, 2].map(|c| self.b.op(Op::Select, &[is, values[c], chosen[c]]));
        }
        chosen
    }

    /// The direction of a position on a face: inverse of [`Writer::face`].
    pub(super) fn direction(&mut self, number: Value, s: Value, t: Value) -> [Value; 3] {
        let (one, minus) = (self.b.f32(1.0), self.b.f32(-1.0));
        let [ns, nt] = [s, t].map(|c| self.b.op(Op::Negate, &[c]));
        let by_face = [[one, nt, ns], [minus, nt, s], [s, one, t], [s, minus, nt], [s, nt, one], [ns, nt, minus]];
        self.of_face(number, by_face)
    }
}
