//! Copying. musl begins a string instruction for every ten bytes, which takes
//! the processor longer than the ten bytes; here up to 128 bytes are a few
//! plain loads and stores, and only more than that is a string instruction.
//!
//! Everything is loaded before anything is stored, so up to 128 bytes the two
//! places may overlap.

use std::arch::asm;
use std::arch::x86_64::__m128i as Sixteen;

/// The C library's, by its name: what the compiler calls when it copies.
///
/// # Safety
/// Both places have this many bytes and do not overlap.
#[cfg_attr(target_env = "musl", unsafe(no_mangle))]
pub unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    unsafe {
        if count <= 128 {
            small(to, from, count);
        } else {
            forwards(to, from, count);
        }
    }
    to
}

/// The same for places that may overlap.
///
/// # Safety
/// Both places have this many bytes.
#[cfg_attr(target_env = "musl", unsafe(no_mangle))]
pub unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    // Forwards, what is stored may only lie on what was loaded already.
    let ahead = (to as usize).wrapping_sub(from as usize);
    unsafe {
        if count <= 128 {
            small(to, from, count);
        } else if ahead >= count {
            forwards(to, from, count);
        } else {
            backwards(to, from, count);
        }
    }
    to
}

#[inline(always)]
unsafe fn small(to: *mut u8, from: *const u8, count: usize) {
    unsafe {
        match count {
            0 => {}
            1..4 => {
                let [first, middle, last] = [0, count / 2, count - 1].map(|place| (place, *from.add(place)));
                for (place, byte) in [first, middle, last] {
                    *to.add(place) = byte;
                }
            }
            4..8 => ends::<u32>(to, from, count),
            8..16 => ends::<u64>(to, from, count),
            16..=32 => ends::<Sixteen>(to, from, count),
            33..=64 => ends::<[Sixteen; 2]>(to, from, count),
            _ => ends::<[Sixteen; 4]>(to, from, count),
        }
    }
}

/// The first and the last of them, which meet in the middle.
#[inline(always)]
unsafe fn ends<T: Copy>(to: *mut u8, from: *const u8, count: usize) {
    unsafe {
        let last = count - size_of::<T>();
        let (head, tail) = (from.cast::<T>().read_unaligned(), from.add(last).cast::<T>().read_unaligned());
        to.cast::<T>().write_unaligned(head);
        to.add(last).cast::<T>().write_unaligned(tail);
    }
}

/// More than eight bytes, from the first to the last.
unsafe fn forwards(to: *mut u8, from: *const u8, count: usize) {
    unsafe {
        let tail = from.add(count - 8).cast::<u64>().read_unaligned();
        asm!("rep movsq", inout("rcx") count / 8 => _, inout("rdi") to => _, inout("rsi") from => _,
            options(nostack, preserves_flags));
        to.add(count - 8).cast::<u64>().write_unaligned(tail);
    }
}

/// More than eight bytes, from the last to the first.
unsafe fn backwards(to: *mut u8, from: *const u8, count: usize) {
    unsafe {
        let head = from.cast::<u64>().read_unaligned();
        let last = count - 8;
        asm!("std", "rep movsq", "cld", inout("rcx") count / 8 => _, inout("rdi") to.add(last) => _,
            inout("rsi") from.add(last) => _, options(nostack));
        to.cast::<u64>().write_unaligned(head);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes() -> impl Iterator<Item = usize> {
        (0..=300).chain([511, 512, 1000, 4095, 4096, 4097])
    }

    fn counted(size: usize) -> Vec<u8> {
        (0..size).map(|place| (place * 7 + place / 256) as u8).collect()
    }

    #[test]
    fn every_size_is_copied_to_every_place_and_nothing_beside_it() {
        let from = counted(5000);
        for size in sizes() {
            for (shift, start) in (0..17).flat_map(|shift| [(shift, 0), (shift, 3)]) {
                let mut to = vec![0xee; size + 40];
                // SAFETY: both have room for it, and they are two vectors.
                unsafe { memcpy(to.as_mut_ptr().add(shift), from.as_ptr().add(start), size) };
                let mut expected = vec![0xee; size + 40];
                expected.splice(shift..shift + size, from[start..start + size].iter().copied());
                assert!(to == expected, "{size} bytes from {start} to {shift}");
            }
        }
    }

    #[test]
    fn places_may_overlap_in_both_directions() {
        for size in sizes() {
            for distance in [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 63, 64, 100, 128, 129, 200, 300, 4096] {
                for (from, to) in [(0, distance), (distance, 0)] {
                    let mut bytes = counted(size + distance + 8);
                    let mut expected = bytes.clone();
                    expected.copy_within(from..from + size, to);
                    // SAFETY: both lie in the vector.
                    unsafe { memmove(bytes.as_mut_ptr().add(to), bytes.as_ptr().add(from), size) };
                    assert!(bytes == expected, "{size} bytes from {from} to {to}");
                }
            }
        }
    }
}
