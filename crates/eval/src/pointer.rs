//! Addresses: object of a variable, component offset, optional swizzle.

use planish_ir::ops::Lanes;

/// An address in one word: object (21 bits), swizzle (11 bits, zero for none) and first component of the pointee (32
/// bits). With a swizzle, component `i` of the pointee is component `swizzle[i]` from there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pointer(pub(crate) u64);

const OBJECT_SHIFT: u32 = 43;
const SWIZZLE_SHIFT: u32 = 32;

/// Maximum number of objects at one time.
pub(crate) const MAX_OBJECTS: usize = 1 << 21;

impl Pointer {
    /// Address of a whole object.
    pub(crate) fn to(object: u32) -> Self {
        debug_assert!((object as usize) < MAX_OBJECTS);
        Pointer(u64::from(object) << OBJECT_SHIFT)
    }

    pub(crate) fn object(self) -> usize {
        (self.0 >> OBJECT_SHIFT) as usize
    }

    /// First component of the pointee.
    pub(crate) fn offset(self) -> usize {
        self.0 as u32 as usize
    }

    fn swizzle(self) -> u64 {
        self.0 >> SWIZZLE_SHIFT & 0x7ff
    }

    /// The address `components` further on.
    pub(crate) fn plus(self, components: usize) -> Self {
        Pointer(self.0 & !0xffff_ffff | (self.0 + components as u64) & 0xffff_ffff)
    }

    /// Component `index` of the pointee, counted from the object's first.
    #[inline]
    pub(crate) fn component(self, index: usize) -> usize {
        match self.swizzle() {
            0 => self.offset() + index,
            bits => self.offset() + (bits >> (2 * index) & 3) as usize,
        }
    }

    /// Address of component `index` of the vector pointee.
    pub(crate) fn to_component(self, index: usize) -> Self {
        let at = self.component(index) as u64;
        Pointer(self.0 >> OBJECT_SHIFT << OBJECT_SHIFT | at)
    }

    /// Address of a swizzle of the vector pointee.
    pub(crate) fn to_lanes(self, lanes: Lanes) -> Self {
        let bits = lanes.iter().enumerate().fold((lanes.len() as u64) << 8, |bits, (i, lane)| {
            let lane = match self.swizzle() {
                0 => lane.into(),
                inner => inner >> (2 * lane) & 3,
            };
            bits | lane << (2 * i)
        });
        Pointer(self.0 & !(0x7ff << SWIZZLE_SHIFT) | bits << SWIZZLE_SHIFT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swizzles_compose() {
        let p = Pointer::to(7).plus(10);
        let zyx = p.to_lanes(Lanes::new(&[2, 1, 0]));
        assert_eq!((zyx.object(), zyx.component(0), zyx.component(2)), (7, 12, 10));
        let yz = zyx.to_lanes(Lanes::new(&[1, 0]));
        assert_eq!((yz.component(0), yz.component(1)), (11, 12));
        assert_eq!(yz.to_component(1), Pointer::to(7).plus(12));
        assert_eq!(p.component(3), 13);
    }
}
