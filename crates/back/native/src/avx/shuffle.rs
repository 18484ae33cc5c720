//! The instruction that moves the bytes of 128-bit vectors as a shuffle does.

/// An instruction, with the numbers of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// One of the operands as it is.
    Copy(usize),
    /// Lanes of 32 bits of one operand.
    Permute(usize, u8),
    /// Lanes 0 and 1, or 2 and 3, of both operands in turns.
    UnpackLow([usize; 2]),
    UnpackHigh([usize; 2]),
    /// Two lanes of the first operand, two of the second.
    Shuffle([usize; 2], u8),
    /// Lanes at their places.
    Blend(u8),
    /// Bytes of each operand; a byte with its highest bit becomes 0.
    Bytes([Option<[u8; 16]>; 2]),
}

/// The instruction for a mask: bytes 0 to 15 of the first operand, 16 to 31 of the second. `same`: both are one.
pub(super) fn step(mask: [u8; 16], same: bool) -> Step {
    let mask = if same { mask.map(|byte| byte & 15) } else { mask };
    match lanes(mask) {
        Some(lanes) => of_lanes(lanes, mask),
        None => bytes(mask),
    }
}

/// Lanes of 32 bits, 0 to 7.
fn lanes(mask: [u8; 16]) -> Option<[u8; 4]> {
    let mut lanes = [0; 4];
    for (lane, bytes) in lanes.iter_mut().zip(mask.chunks(4)) {
        let whole = bytes[0] % 4 == 0 && bytes.windows(2).all(|pair| pair[1] == pair[0] + 1);
        *lane = whole.then_some(bytes[0] / 4)?;
    }
    Some(lanes)
}

fn of_lanes(lanes: [u8; 4], mask: [u8; 16]) -> Step {
    let from = lanes.map(|lane| usize::from(lane / 4));
    let within = lanes.map(|lane| lane % 4);
    let imm = (0..4).fold(0, |imm, i| imm | within[i] << (2 * i));
    if from.iter().all(|&f| f == from[0]) {
        return if within == [0, 1, 2, 3] { Step::Copy(from[0]) } else { Step::Permute(from[0], imm) };
    }
    if within == [0, 1, 2, 3] {
        return Step::Blend((0..4).fold(0, |imm, i| imm | (from[i] as u8) << i));
    }
    let turns = from[0] == from[2] && from[1] == from[3];
    match within {
        [0, 0, 1, 1] if turns => Step::UnpackLow([from[0], from[1]]),
        [2, 2, 3, 3] if turns => Step::UnpackHigh([from[0], from[1]]),
        _ if from[0] == from[1] && from[2] == from[3] => Step::Shuffle([from[0], from[2]], imm),
        _ => bytes(mask),
    }
}

fn bytes(mask: [u8; 16]) -> Step {
    let of = |operand: u8| {
        let is_read = mask.iter().any(|byte| byte / 16 == operand);
        is_read.then(|| mask.map(|byte| if byte / 16 == operand { byte % 16 } else { 0x80 }))
    };
    Step::Bytes([of(0), of(1)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that an instruction gives, for operands of bytes 0 to 15 and 16 to 31.
    fn result(step: Step) -> [u8; 16] {
        let lane = |operand: usize, lane: u8, byte: usize| (16 * operand) as u8 + 4 * lane + byte as u8;
        std::array::from_fn(|i| {
            let (at, byte) = (i / 4, i % 4);
            match step {
                Step::Copy(from) => lane(from, at as u8, byte),
                Step::Permute(from, imm) => lane(from, imm >> (2 * at) & 3, byte),
                Step::UnpackLow(from) => lane(from[at % 2], at as u8 / 2, byte),
                Step::UnpackHigh(from) => lane(from[at % 2], 2 + at as u8 / 2, byte),
                Step::Shuffle(from, imm) => lane(from[at / 2], imm >> (2 * at) & 3, byte),
                Step::Blend(imm) => lane(usize::from(imm >> at & 1), at as u8, byte),
                Step::Bytes(masks) => masks
                    .into_iter()
                    .enumerate()
                    .filter_map(|(operand, mask)| Some((operand, mask?[i])))
                    .find(|(_, byte)| byte & 0x80 == 0)
                    .map(|(operand, byte)| (16 * operand) as u8 + byte)
                    .expect("each byte comes from an operand"),
            }
        })
    }

    #[test]
    fn all_lanes_of_32_bits_come_from_their_places() {
        for lanes in 0..1u32 << 12 {
            let lane = |i: usize| (lanes >> (3 * i)) as u8 & 7;
            let mask: [u8; 16] = std::array::from_fn(|i| 4 * lane(i / 4) + i as u8 % 4);
            assert_eq!(result(step(mask, false)), mask);
        }
    }

    #[test]
    fn bytes_come_from_their_places() {
        let mask = [31, 0, 5, 17, 2, 2, 30, 9, 8, 7, 6, 16, 1, 3, 20, 21];
        assert_eq!(result(step(mask, false)), mask);
        assert_eq!(result(step(mask, true)), mask.map(|byte| byte & 15));
    }
}
