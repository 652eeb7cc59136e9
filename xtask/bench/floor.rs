//! The cheapest hook there can be: no C library, no runtime, no allocation.
//!
//! Reads its input to the end, sleeps for the milliseconds its first argument
//! asks for, prints an answer. What an engine takes longer than a bare start of
//! this program is the engine's own cost.

#![no_std]
#![no_main]

use core::arch::{asm, global_asm};

const ANSWER: &[u8] = b"{\"permission\":\"allow\"}\n";
/// Large reads, so that a large payload is limited by the pipe and not by this program.
const CHUNK: usize = 1 << 20;
static mut BUFFER: [u8; CHUNK] = [0; CHUNK];

// At the entry the stack holds the argument count, then the arguments.
global_asm!(".globl _start", "_start:", "mov rdi, rsp", "and rsp, -16", "call {start}", start = sym start);

unsafe extern "C" fn start(stack: *const usize) -> ! {
    unsafe {
        while syscall(0, 0, &raw mut BUFFER as usize, CHUNK) > 0 {}
        if *stack > 1 {
            sleep(parse(*stack.add(2) as *const u8));
        }
        syscall(1, 1, ANSWER.as_ptr() as usize, ANSWER.len());
        syscall(60, 0, 0, 0);
    }
    loop {}
}

unsafe fn sleep(milliseconds: u64) {
    let wanted = [milliseconds / 1000, milliseconds % 1000 * 1_000_000];
    unsafe { syscall(35, wanted.as_ptr() as usize, 0, 0) };
}

unsafe fn parse(mut digits: *const u8) -> u64 {
    let mut number = 0;
    unsafe {
        while (*digits).is_ascii_digit() {
            number = number * 10 + u64::from(*digits - b'0');
            digits = digits.add(1);
        }
    }
    number
}

unsafe fn syscall(number: usize, first: usize, second: usize, third: usize) -> isize {
    let result: isize;
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") first,
            in("rsi") second,
            in("rdx") third,
            out("rcx") _,
            out("r11") _,
        );
    }
    result
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
