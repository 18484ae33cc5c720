//! Default values and hints of uniforms that the caller gives.

use planish_ir::meaning::float_bits;
use planish_ir::types::Scalar;

use crate::graph::{Graph, HintError, Uniform};
use crate::literal::Literal;
use crate::shape::{Shape, TypeId};

impl Graph {
    /// Sets the default value of a uniform, by the numbers of its components in order: of a matrix by columns. One number stands for all
    /// components of a vector.
    ///
    /// # Errors
    /// If there is no such uniform, or the numbers do not fit its type.
    pub fn set_default(&mut self, name: &str, numbers: &[&str]) -> Result<(), HintError> {
        let ty = self.uniform(name)?.ty;
        let mut rest = numbers;
        let expected = self.components(ty).ok_or(HintError::NoNumbers)?;
        let repeated = [*numbers.first().unwrap_or(&"")];
        let repeated = repeated.repeat(expected);
        match (self.types[ty as usize].shape.clone(), numbers) {
            (Shape::Vector(..), [_]) => rest = &repeated,
            _ if numbers.len() != expected => return Err(HintError::Components(expected)),
            _ => {}
        }
        let default = self.parsed(ty, &mut rest)?;
        self.uniform(name)?.default = Some(default);
        Ok(())
    }

    /// Marks a uniform as a colour.
    ///
    /// # Errors
    /// If there is no such uniform, or it is not of three or four floats.
    pub fn set_color(&mut self, name: &str) -> Result<(), HintError> {
        let ty = self.uniform(name)?.ty;
        if !matches!(self.types[ty as usize].shape, Shape::Vector(Scalar::F32, 3 | 4)) {
            return Err(HintError::NoColor);
        }
        self.uniform(name)?.is_color = true;
        Ok(())
    }

    fn uniform(&mut self, name: &str) -> Result<&mut Uniform, HintError> {
        self.uniforms.iter_mut().find(|uniform| uniform.name == name).ok_or(HintError::NoUniform)
    }

    /// Number of components of a number, vector or matrix.
    fn components(&self, ty: TypeId) -> Option<usize> {
        Some(match self.types[ty as usize].shape {
            Shape::Scalar(_) => 1,
            Shape::Vector(_, n) => n.into(),
            Shape::Matrix { columns, rows, .. } => usize::from(columns) * usize::from(rows),
            _ => return None,
        })
    }

    /// The value of a type from the numbers of its components.
    fn parsed(&self, ty: TypeId, numbers: &mut &[&str]) -> Result<Literal, HintError> {
        let parts = |scalar: Scalar, n: u8, numbers: &mut &[&str]| -> Result<Literal, HintError> {
            (0..n).map(|_| scalar_from(scalar, numbers)).collect::<Result<_, _>>().map(Literal::Parts)
        };
        match self.types[ty as usize].shape {
            Shape::Scalar(scalar) => scalar_from(scalar, numbers),
            Shape::Vector(scalar, n) => parts(scalar, n, numbers),
            Shape::Matrix { scalar, columns, rows } => {
                (0..columns).map(|_| parts(scalar, rows, numbers)).collect::<Result<_, _>>().map(Literal::Parts)
            }
            _ => Err(HintError::NoNumbers),
        }
    }
}

fn scalar_from(scalar: Scalar, numbers: &mut &[&str]) -> Result<Literal, HintError> {
    let (&text, rest) = numbers.split_first().ok_or(HintError::NoNumbers)?;
    *numbers = rest;
    let text = text.trim();
    let bits = match scalar {
        Scalar::Bool => text.parse::<bool>().ok().map(u64::from),
        Scalar::I8 => text.parse::<i8>().ok().map(|x| u64::from(x as u8)),
        Scalar::U8 => text.parse::<u8>().ok().map(u64::from),
        Scalar::I16 => text.parse::<i16>().ok().map(|x| u64::from(x as u16)),
        Scalar::U16 => text.parse::<u16>().ok().map(u64::from),
        Scalar::I32 => text.parse::<i32>().ok().map(|x| u64::from(x as u32)),
        Scalar::U32 => text.parse::<u32>().ok().map(u64::from),
        Scalar::I64 => text.parse::<i64>().ok().map(|x| x as u64),
        Scalar::U64 => text.parse::<u64>().ok(),
        Scalar::F16 => text.parse::<f64>().ok().map(|x| float_bits(scalar, x)),
        Scalar::F32 => text.parse::<f32>().ok().map(|x| x.to_bits().into()),
        Scalar::F64 => text.parse::<f64>().ok().map(f64::to_bits),
    };
    bits.map(|bits| Literal::Bits(scalar, bits)).ok_or_else(|| HintError::NoNumber(text.to_owned()))
}
