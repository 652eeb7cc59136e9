//! The names of signals.

/// The name of a signal, as `kill -l` would spell it, with its prefix.
pub fn signal_name(signal: i32) -> &'static str {
    NAMES.iter().find(|(number, _)| *number == signal).map_or_else(|| unnamed(signal), |(_, name)| name)
}

fn unnamed(signal: i32) -> &'static str {
    if cfg!(target_os = "linux") && (32..=64).contains(&signal) {
        "a real-time signal"
    } else {
        "an unknown signal"
    }
}

#[cfg(unix)]
const NAMES: &[(i32, &str)] = {
    use rustix::process::Signal;
    &[
        (Signal::HUP.as_raw(), "SIGHUP"),
        (Signal::INT.as_raw(), "SIGINT"),
        (Signal::QUIT.as_raw(), "SIGQUIT"),
        (Signal::ILL.as_raw(), "SIGILL"),
        (Signal::TRAP.as_raw(), "SIGTRAP"),
        (Signal::ABORT.as_raw(), "SIGABRT"),
        (Signal::BUS.as_raw(), "SIGBUS"),
        (Signal::FPE.as_raw(), "SIGFPE"),
        (Signal::KILL.as_raw(), "SIGKILL"),
        (Signal::USR1.as_raw(), "SIGUSR1"),
        (Signal::SEGV.as_raw(), "SIGSEGV"),
        (Signal::USR2.as_raw(), "SIGUSR2"),
        (Signal::PIPE.as_raw(), "SIGPIPE"),
        (Signal::ALARM.as_raw(), "SIGALRM"),
        (Signal::TERM.as_raw(), "SIGTERM"),
        (Signal::CHILD.as_raw(), "SIGCHLD"),
        (Signal::CONT.as_raw(), "SIGCONT"),
        (Signal::STOP.as_raw(), "SIGSTOP"),
        (Signal::TSTP.as_raw(), "SIGTSTP"),
        (Signal::TTIN.as_raw(), "SIGTTIN"),
        (Signal::TTOU.as_raw(), "SIGTTOU"),
        (Signal::URG.as_raw(), "SIGURG"),
        (Signal::XCPU.as_raw(), "SIGXCPU"),
        (Signal::XFSZ.as_raw(), "SIGXFSZ"),
        (Signal::VTALARM.as_raw(), "SIGVTALRM"),
        (Signal::PROF.as_raw(), "SIGPROF"),
        (Signal::WINCH.as_raw(), "SIGWINCH"),
        (Signal::IO.as_raw(), "SIGIO"),
        (Signal::SYS.as_raw(), "SIGSYS"),
    ]
};

// Windows ends processes with exit codes only.
#[cfg(not(unix))]
const NAMES: &[(i32, &str)] = &[];

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn signals_have_the_names_people_know() {
        let cases =
            [(1, "SIGHUP"), (2, "SIGINT"), (6, "SIGABRT"), (9, "SIGKILL"), (11, "SIGSEGV"), (15, "SIGTERM")];
        for (number, name) in cases {
            assert_eq!(signal_name(number), name);
        }
    }

    #[test]
    fn a_number_that_is_no_signal_has_no_name() {
        for number in [0, -1, 65, 139, i32::MAX, i32::MIN] {
            assert_eq!(signal_name(number), "an unknown signal", "{number}");
        }
    }
}
