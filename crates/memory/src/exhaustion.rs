//! An allocator that calls a handler before it reports that there is no memory left.
//!
//! Without it the standard library aborts the process, which some agents take for permission.

use std::alloc::{GlobalAlloc, Layout};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

static HANDLER: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

/// Sets what is called when memory is exhausted. It must not allocate; when it returns, the
/// failure is reported to the caller of the allocator as usual.
pub fn on_exhaustion(handler: fn()) {
    HANDLER.store(handler as *mut (), Ordering::Release);
}

/// An allocator with that handler.
pub struct ReportsExhaustion<A>(pub A);

fn checked(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        let handler = HANDLER.load(Ordering::Acquire);
        if !handler.is_null() {
            // SAFETY: `on_exhaustion` stored a function of this type.
            let handler: fn() = unsafe { std::mem::transmute::<*mut (), fn()>(handler) };
            handler();
        }
    }
    block
}

// SAFETY: every call goes to the inner allocator unchanged.
unsafe impl<A: GlobalAlloc> GlobalAlloc for ReportsExhaustion<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        checked(unsafe { self.0.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        checked(unsafe { self.0.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { self.0.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        checked(unsafe { self.0.realloc(block, layout, size) })
    }
}
