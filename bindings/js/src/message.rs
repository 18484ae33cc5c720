//! Messages across the border: `length of the JSON · JSON · length of a block · block · …`, lengths in four bytes, the lowest first.

use serde_json::Value;

/// A request or an answer.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Message {
    /// The object.
    pub head: Value,
    /// Blocks of bytes.
    pub blocks: Vec<Vec<u8>>,
}

impl Message {
    /// A message with one block.
    pub fn with_block(head: Value, block: Vec<u8>) -> Self {
        Message { head, blocks: vec![block] }
    }

    /// Reads a message.
    ///
    /// # Errors
    /// The reason why it is none.
    pub fn parse(mut bytes: &[u8]) -> Result<Self, String> {
        let head = take(&mut bytes)?;
        let head = serde_json::from_slice(head).map_err(|error| error.to_string())?;
        let mut blocks = vec![];
        while !bytes.is_empty() {
            blocks.push(take(&mut bytes)?.to_vec());
        }
        Ok(Message { head, blocks })
    }

    /// The bytes of a message.
    pub fn write(&self) -> Vec<u8> {
        let head = self.head.to_string();
        let parts = || [head.as_bytes()].into_iter().chain(self.blocks.iter().map(Vec::as_slice));
        let mut bytes = Vec::with_capacity(parts().map(|part| part.len() + 4).sum());
        for part in parts() {
            let length = u32::try_from(part.len()).expect("the memory of WebAssembly has 4 GiB");
            bytes.extend(length.to_le_bytes());
            bytes.extend(part);
        }
        bytes
    }
}

/// The next part.
fn take<'b>(bytes: &mut &'b [u8]) -> Result<&'b [u8], String> {
    let cut = || "the message is cut off".to_owned();
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or_else(cut)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (part, rest) = rest.split_at_checked(length).ok_or_else(cut)?;
    *bytes = rest;
    Ok(part)
}
