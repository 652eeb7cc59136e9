//! Comparing. musl goes from byte to byte; here eight of them are one look, and
//! what is left over is looked at together with bytes that were seen already.

use std::cmp::Ordering;

/// The C library's, by its name: what the compiler calls when it compares.
///
/// # Safety
/// Both places have this many bytes.
#[cfg_attr(target_env = "musl", unsafe(no_mangle))]
pub unsafe extern "C" fn memcmp(one: *const u8, other: *const u8, count: usize) -> i32 {
    unsafe {
        if count < 8 {
            return by_byte(one, other, count);
        }
        let mut place = 0;
        while place + 8 <= count {
            match eight(one, other, place) {
                0 => place += 8,
                order => return order,
            }
        }
        eight(one, other, count - 8)
    }
}

/// The same, where only zero counts.
///
/// # Safety
/// Both places have this many bytes.
#[cfg_attr(target_env = "musl", unsafe(no_mangle))]
pub unsafe extern "C" fn bcmp(one: *const u8, other: *const u8, count: usize) -> i32 {
    unsafe { memcmp(one, other, count) }
}

unsafe fn by_byte(one: *const u8, other: *const u8, count: usize) -> i32 {
    for place in 0..count {
        let (one, other) = unsafe { (*one.add(place), *other.add(place)) };
        if one != other {
            return i32::from(one) - i32::from(other);
        }
    }
    0
}

/// The first of eight bytes counts most.
#[inline(always)]
unsafe fn eight(one: *const u8, other: *const u8, place: usize) -> i32 {
    let at = |from: *const u8| unsafe { from.add(place).cast::<u64>().read_unaligned() };
    let (one, other) = (at(one), at(other));
    match one == other {
        true => 0,
        false => match u64::from_be(one).cmp(&u64::from_be(other)) {
            Ordering::Less => -1,
            Ordering::Equal | Ordering::Greater => 1,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_at_every_place_is_found_and_has_its_order() {
        for size in 0..=70usize {
            let one: Vec<u8> = (0..size).map(|place| (place * 37) as u8).collect();
            // SAFETY: both have so many bytes.
            let order = |other: &[u8]| unsafe { memcmp(one.as_ptr(), other.as_ptr(), size).signum() };
            assert_eq!(order(&one.clone()), 0, "{size}");
            for place in 0..size {
                for byte in [0, 1, 127, 128, 255] {
                    let mut other = one.clone();
                    other[place] = byte;
                    // What stands behind the difference says nothing.
                    other[place + 1..].fill(byte.wrapping_add(77));
                    let mut level = one.clone();
                    level[place] = byte;
                    for other in [&other, &level] {
                        let expected = one.iter().cmp(other.iter()) as i32;
                        assert_eq!(order(other), expected, "{size} bytes, {byte} at {place}");
                        // SAFETY: as above.
                        let same = unsafe { bcmp(one.as_ptr(), other.as_ptr(), size) == 0 };
                        assert_eq!(same, expected == 0, "{size} bytes, {byte} at {place}");
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_behind_the_end_is_looked_at() {
        for size in 0..=40usize {
            let (one, mut other) = (vec![7; size + 16], vec![7; size + 16]);
            other[size..].fill(9);
            // SAFETY: both have so many bytes.
            assert_eq!(unsafe { memcmp(one.as_ptr(), other.as_ptr(), size) }, 0, "{size}");
        }
    }
}
