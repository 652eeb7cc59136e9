//! `boathook completions`: scripts that shells take.

use std::process::Command;

use insta::assert_snapshot;

use crate::context::TestContext;

#[test]
fn every_shell_gets_every_command() {
    let cx = TestContext::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = cx.output(["completions", shell]);
        assert!(output.status.success(), "{shell}");
        let script = String::from_utf8(output.stdout).expect("text");
        for command in ["run", "explain", "check", "list", "init", "trust", "log", "schema", "completions"] {
            assert!(script.contains(command), "{shell}: {command}");
        }
        let names = matches!(shell, "bash" | "fish" | "zsh");
        assert!(!names || script.contains("beforeShellExecution"), "{shell}: names of events");
    }
}

#[test]
fn bash_completes_commands_options_and_names() {
    let cx = TestContext::new();
    let script = cx.write("completions.bash", cx.output(["completions", "bash"]).stdout);
    let cases = [
        (&["boathook", "sch"][..], "schema"),
        (&["boathook", "run", "beforeShell"], "beforeShellExecution"),
        (&["boathook", "schema", "stop.o"], "stop.output"),
        (&["boathook", "log", "--fol"], "--follow"),
        (&["boathook", "log", "--outcome", "withh"], "withheld"),
        (&["boathook", "completions", "z"], "zsh"),
    ];
    for (words, expected) in cases {
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let [.., before, last] = words else { unreachable!() };
        let asked = format!(
            "source '{}'; COMP_WORDS=({}); COMP_CWORD={}; _boathook boathook '{last}' '{before}'; echo \"${{COMPREPLY[*]}}\"",
            script.display(),
            quoted.join(" "),
            words.len() - 1,
        );
        let output = Command::new("bash").args(["--norc", "-c", &asked]).output().expect("bash starts");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected, "{words:?}");
    }
}

#[test]
fn an_unknown_shell_is_answered_with_those_there_are() {
    assert_snapshot!(TestContext::new().run(["completions", "cmd"]), @r"
    exit code: 1
    ----- stderr -----
    error: invalid value 'cmd' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

    For more information, try '--help'.
    ");
}

#[test]
fn help_says_how_to_install_them() {
    let help = String::from_utf8(TestContext::new().output(["completions", "--help"]).stdout).expect("text");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(help.contains(&format!("boathook completions {shell} >")), "{shell}: {help}");
    }
}
