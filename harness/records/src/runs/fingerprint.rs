//! A short name for exact content, the same on every platform and in every release.

/// FNV-1a of 64 bits (Fowler, Noll, Vo): not for secrets, only to tell whether two inputs are one.
#[derive(Clone, Copy, Debug)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// The fingerprint of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self::default().and(bytes)
    }

    /// The fingerprint of what came before, and these bytes.
    #[must_use]
    pub fn and(self, bytes: &[u8]) -> Self {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Self(bytes.iter().fold(self.0, step))
    }

    /// As a number.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// As sixteen hexadecimal digits.
    #[must_use]
    pub fn hex(self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_vectors() {
        assert_eq!(Fingerprint::of(b"").hex(), "cbf29ce484222325");
        assert_eq!(Fingerprint::of(b"foobar").hex(), "85944171f73967e8");
        assert_eq!(
            Fingerprint::of(b"foo").and(b"bar").hex(),
            "85944171f73967e8"
        );
    }
}
