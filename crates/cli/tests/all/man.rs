//! `boathook man`: pages that `man` can show.

use std::fs;

use crate::context::{self, TestContext};

/// The names of all commands, from the program's own help.
fn commands(cx: &TestContext) -> Vec<String> {
    let help = String::from_utf8(cx.output(["--help"]).stdout).expect("text");
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_command_has_a_page() {
    let cx = TestContext::new();
    let names = commands(&cx);
    assert!(names.len() > 10 && names.contains(&"man".to_owned()), "{names:?}");
    assert!(cx.output(["man", "--write", "pages"]).status.success());
    let program = context::read(&cx.path("project/pages/boathook.1"));
    for name in &names {
        let page = context::read(&cx.path(&format!("project/pages/boathook-{name}.1")));
        assert!(page.contains(&format!(".TH boathook-{name} 1")), "{name}: {page:.300}");
        assert!(page.contains(".SH SYNOPSIS") && page.contains(".SH OPTIONS"), "{name}: {page:.300}");
        assert!(program.contains(&format!("boathook\\-{name}(1)")), "{name}");
        let printed = cx.output(["man", name]);
        assert_eq!(String::from_utf8(printed.stdout).expect("text").trim_end(), page.trim_end(), "{name}");
    }
    let pages = fs::read_dir(cx.path("project/pages")).expect("pages").count();
    assert!(pages > names.len(), "one for the program, and one for each command: {pages}");
}

#[test]
fn an_unknown_command_is_an_error() {
    let cx = TestContext::new();
    let seen = cx.run(["man", "nothing"]);
    assert!(seen.contains("exit code: 1") && seen.contains("there is no command `nothing`"), "{seen}");
}
