//! Secrets that nobody can guess, from the system's random source.

use std::io;

/// As many random bytes as no one guesses, as hexadecimal text.
pub fn secret() -> io::Result<String> {
    text(32)
}

/// A short name that nobody else uses.
pub fn name() -> io::Result<String> {
    text(8)
}

fn text(length: usize) -> io::Result<String> {
    let mut bytes = vec![0u8; length];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_long_and_never_the_same() {
        let (one, other) = (secret().expect("random bytes"), secret().expect("random bytes"));
        assert_eq!((one.len(), other.len()), (64, 64));
        assert_ne!(one, other);
    }
}
