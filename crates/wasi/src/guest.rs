//! The program's memory, with checked access: an address out of bounds is answered with `fault`.

use smallvec::SmallVec;

use crate::errno::{Answer, Errno};

/// The memory of the program that calls.
pub(crate) struct Guest<'a>(pub(crate) &'a mut [u8]);

/// A buffer in the program's memory: its address and length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    pub(crate) at: u32,
    pub(crate) len: u32,
}

/// The buffers that one call reads into or writes out of.
pub(crate) type Buffers = SmallVec<[Buffer; 8]>;

fn range(at: u32, len: u32) -> std::ops::Range<usize> {
    at as usize..(at as usize).saturating_add(len as usize)
}

impl Guest<'_> {
    /// Bytes at a place.
    pub(crate) fn bytes(&self, at: u32, len: u32) -> Answer<&[u8]> {
        self.0.get(range(at, len)).ok_or(Errno::Fault)
    }

    /// Bytes at a place, to be written.
    pub(crate) fn bytes_mut(&mut self, at: u32, len: u32) -> Answer<&mut [u8]> {
        self.0.get_mut(range(at, len)).ok_or(Errno::Fault)
    }

    fn array<const N: usize>(&self, at: u32) -> Answer<[u8; N]> {
        let bytes = self.bytes(at, N as u32)?;
        Ok(std::array::from_fn(|i| bytes[i]))
    }

    pub(crate) fn u8(&self, at: u32) -> Answer<u8> {
        Ok(self.array::<1>(at)?[0])
    }

    pub(crate) fn u16(&self, at: u32) -> Answer<u16> {
        Ok(u16::from_le_bytes(self.array(at)?))
    }

    pub(crate) fn u32(&self, at: u32) -> Answer<u32> {
        Ok(u32::from_le_bytes(self.array(at)?))
    }

    pub(crate) fn u64(&self, at: u32) -> Answer<u64> {
        Ok(u64::from_le_bytes(self.array(at)?))
    }

    /// Writes bytes to a place.
    pub(crate) fn put(&mut self, at: u32, bytes: &[u8]) -> Answer {
        let len = u32::try_from(bytes.len()).map_err(|_| Errno::Overflow)?;
        self.bytes_mut(at, len)?.copy_from_slice(bytes);
        Ok(())
    }

    pub(crate) fn put_u32(&mut self, at: u32, value: u32) -> Answer {
        self.put(at, &value.to_le_bytes())
    }

    pub(crate) fn put_u64(&mut self, at: u32, value: u64) -> Answer {
        self.put(at, &value.to_le_bytes())
    }

    /// A path, which is UTF-8.
    pub(crate) fn path(&self, at: u32, len: u32) -> Answer<&str> {
        let path = std::str::from_utf8(self.bytes(at, len)?).map_err(|_| Errno::IllegalSequence)?;
        if path.is_empty() {
            return Err(Errno::NoEntry);
        }
        if path.contains('\0') {
            return Err(Errno::IllegalSequence);
        }
        Ok(path)
    }

    /// A list of buffers: pairs of address and length, all within bounds.
    pub(crate) fn buffers(&self, at: u32, count: u32) -> Answer<Buffers> {
        let list = self.bytes(at, count.checked_mul(8).ok_or(Errno::Fault)?)?;
        let word = |bytes: &[u8]| u32::from_le_bytes(std::array::from_fn(|i| bytes[i]));
        let mut total = 0u32;
        let mut buffers = Buffers::new();
        for pair in list.chunks_exact(8) {
            let buffer = Buffer { at: word(pair), len: word(&pair[4..]) };
            self.bytes(buffer.at, buffer.len)?;
            total = total.checked_add(buffer.len).ok_or(Errno::Invalid)?;
            buffers.push(buffer);
        }
        Ok(buffers)
    }
}

#[cfg(test)]
mod tests {
    use super::{Errno, Guest};

    #[test]
    fn every_place_outside_is_a_fault() {
        let mut bytes = [0u8; 32];
        let mut guest = Guest(&mut bytes);
        assert_eq!(guest.u64(24), Ok(0));
        assert_eq!(guest.u64(25), Err(Errno::Fault));
        assert_eq!(guest.put_u32(u32::MAX, 1), Err(Errno::Fault));
        assert_eq!(guest.bytes(32, 0).map(<[u8]>::len), Ok(0));
        assert_eq!(guest.bytes(33, 0), Err(Errno::Fault));
        assert_eq!(guest.bytes(u32::MAX, u32::MAX), Err(Errno::Fault));
        assert!(guest.buffers(0, u32::MAX).is_err());
    }

    #[test]
    fn buffers_that_leave_the_memory_are_faults() {
        let mut bytes = [0u8; 32];
        bytes[..8].copy_from_slice(&[30, 0, 0, 0, 3, 0, 0, 0]);
        assert!(matches!(Guest(&mut bytes).buffers(0, 1), Err(Errno::Fault)));
        bytes[4] = 2;
        assert_eq!(Guest(&mut bytes).buffers(0, 1).unwrap()[0].len, 2);
    }
}
