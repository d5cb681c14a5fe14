//! Little-endian fields, taken from the front of a slice.

/// What is left of a slice whose front has been read.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(front)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        let (front, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u16::from_le_bytes(*front))
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        let (front, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*front))
    }

    /// The next four bytes, if they are this signature.
    pub(super) fn signature(&mut self, expected: u32) -> Option<()> {
        self.u32().filter(|found| *found == expected).map(drop)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
