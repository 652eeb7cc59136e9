//! Whom a pipe belongs to, and who may come in.
#![allow(unsafe_code)]

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr;

use windows_sys::Win32::Foundation::LocalFree;
use windows_sys::Win32::Security::Authorization::{
    ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW, GetSecurityInfo,
    SDDL_REVISION_1, SE_KERNEL_OBJECT,
};
use windows_sys::Win32::Security::{
    GetTokenInformation, OWNER_SECURITY_INFORMATION, PSECURITY_DESCRIPTOR, PSID, SECURITY_ATTRIBUTES,
    TOKEN_QUERY, TOKEN_USER, TokenUser,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// Who may do what with a pipe.
#[derive(Debug)]
pub struct Security(PSECURITY_DESCRIPTOR);

// SAFETY: memory that nobody changes.
unsafe impl Send for Security {}
// SAFETY: the same.
unsafe impl Sync for Security {}

impl Security {
    /// The user who runs this process owns it and may do everything; nobody
    /// else may do anything, and nothing is inherited.
    pub fn for_the_user_alone() -> io::Result<Security> {
        let user = user()?;
        let text = format!("O:{user}D:P(A;;GA;;;{user})");
        let text: Vec<u16> = text.encode_utf16().chain([0]).collect();
        let mut descriptor = ptr::null_mut();
        // SAFETY: a text with its zero, and a pointer to be written to.
        let made = unsafe {
            ConvertStringSecurityDescriptorToSecurityDescriptorW(
                text.as_ptr(),
                SDDL_REVISION_1,
                &mut descriptor,
                ptr::null_mut(),
            )
        };
        if made == 0 { Err(io::Error::last_os_error()) } else { Ok(Security(descriptor)) }
    }

    /// For a call that makes something. Good while this value is.
    pub fn attributes(&self) -> SECURITY_ATTRIBUTES {
        SECURITY_ATTRIBUTES {
            nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
            lpSecurityDescriptor: self.0,
            bInheritHandle: 0,
        }
    }
}

impl Drop for Security {
    fn drop(&mut self) {
        // SAFETY: the system made it for us, and nobody has it any more.
        unsafe { LocalFree(self.0) };
    }
}

/// The user who runs this process, as the system writes it (`S-1-5-21-…`).
pub fn user() -> io::Result<String> {
    let mut token = ptr::null_mut();
    // SAFETY: this process, and a pointer to be written to.
    if unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &mut token) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it was opened just now and is nobody else's.
    let token = unsafe { OwnedHandle::from_raw_handle(token) };
    // Aligned for pointers; the longest there is has 68 bytes behind two words.
    let mut user = [0_u64; 32];
    let (place, size, mut needed) = (user.as_mut_ptr().cast(), size_of_val(&user) as u32, 0);
    // SAFETY: an open token, and so many bytes to be written to.
    if unsafe { GetTokenInformation(token.as_raw_handle(), TokenUser, place, size, &mut needed) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the system wrote such a value there.
    let sid = unsafe { (*user.as_ptr().cast::<TOKEN_USER>()).User.Sid };
    text_of(sid)
}

/// The user whom a pipe belongs to.
pub fn owner_of(pipe: &OwnedHandle) -> io::Result<String> {
    let (mut owner, mut descriptor) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: an open handle, and pointers to be written to.
    let failed = unsafe {
        GetSecurityInfo(
            pipe.as_raw_handle(),
            SE_KERNEL_OBJECT,
            OWNER_SECURITY_INFORMATION,
            &mut owner,
            ptr::null_mut(),
            ptr::null_mut(),
            ptr::null_mut(),
            &mut descriptor,
        )
    };
    if failed != 0 {
        return Err(io::Error::from_raw_os_error(failed.cast_signed()));
    }
    // It frees what `owner` points into.
    let _descriptor = Security(descriptor);
    text_of(owner)
}

fn text_of(sid: PSID) -> io::Result<String> {
    let mut text = ptr::null_mut();
    // SAFETY: a sid of the system's, and a pointer to be written to.
    if sid.is_null() || unsafe { ConvertSidToStringSidW(sid, &mut text) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the system wrote a text with its zero.
    let letters = (0..).map_while(|at| unsafe { Some(*text.add(at)).filter(|letter| *letter != 0) });
    let letters: Vec<u16> = letters.collect();
    // SAFETY: the system made it for us.
    unsafe { LocalFree(text.cast()) };
    Ok(String::from_utf16_lossy(&letters))
}
