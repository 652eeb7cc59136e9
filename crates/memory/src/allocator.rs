//! The allocator: musl's own gives each small block back to the kernel at once;
//! for a program that lives a millisecond that is most of its life.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dlmalloc::Dlmalloc;

/// One heap for all threads. The lock is the standard library's, whose way
/// without a rival needs no call.
pub struct Allocator;

static HEAP: Mutex<Dlmalloc> = Mutex::new(Dlmalloc::new());

fn heap() -> MutexGuard<'static, Dlmalloc> {
    HEAP.lock().unwrap_or_else(PoisonError::into_inner)
}

// SAFETY: every call goes to the one heap, with the size and alignment that the
// caller was promised, and nothing in here allocates by itself.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        unsafe { heap().malloc(layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        unsafe { heap().calloc(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { heap().free(block, layout.size(), layout.align()) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        unsafe { heap().realloc(block, layout.size(), layout.align(), size) }
    }
}
