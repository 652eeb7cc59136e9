//! Runs a program one instruction after the other.

// Tracing another process has no face in std.
#![allow(unsafe_code)]

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{mem, ptr};

/// The places where it was, in the order it first came there, in steps of 16 bytes.
pub fn touched(binary: &Path, words: &[&str], home: &str, told: &Path) -> io::Result<Vec<u64>> {
    let mut command = Command::new(binary);
    command.args(words).current_dir(home).env("HOME", home).stdin(File::open(told)?).stdout(Stdio::null());
    // SAFETY: between fork and exec only this system call is made.
    unsafe {
        command.pre_exec(|| match libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        });
    }
    let child = command.spawn()?;
    let pid = child.id() as libc::pid_t;
    let (mut seen, mut order) = (HashSet::new(), Vec::new());
    while is_stopped(pid)? {
        let place = instruction(pid)? & !15;
        if seen.insert(place) {
            order.push(place);
        }
        // SAFETY: the child is ours and stopped.
        if unsafe { libc::ptrace(libc::PTRACE_SINGLESTEP, pid, 0, 0) } != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(order)
}

fn is_stopped(pid: libc::pid_t) -> io::Result<bool> {
    let mut status = 0;
    // SAFETY: the status outlives the call.
    if unsafe { libc::waitpid(pid, &mut status, 0) } != pid {
        return Err(io::Error::last_os_error());
    }
    match libc::WIFSTOPPED(status) {
        true => Ok(true),
        false if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0 => Ok(false),
        false => Err(io::Error::other(format!("the program ended with status {status:#x}"))),
    }
}

/// Where a stopped process is.
fn instruction(pid: libc::pid_t) -> io::Result<u64> {
    // SAFETY: the registers are plain numbers, and the call fills no more than them.
    let registers: libc::user_regs_struct = unsafe {
        let mut registers = mem::zeroed();
        if libc::ptrace(libc::PTRACE_GETREGS, pid, 0, ptr::from_mut(&mut registers)) != 0 {
            return Err(io::Error::last_os_error());
        }
        registers
    };
    Ok(registers.rip)
}
