//! Whether a program that ran is one that the rules of the comparison deny or allow, by its argument list alone.

/// What ran: the path of the program, then its arguments.
pub type Ran = Vec<String>;

/// `rm -rf`, `git push --force` or `git push -f`, as the programs themselves read their options.
pub fn is_denied(ran: &Ran) -> bool {
    let (name, args) = (name(ran), &ran[1..]);
    match name {
        "rm" => removes_by_force(args),
        "git" => pushes_by_force(args),
        _ => false,
    }
}

/// `ls` and `git status`.
pub fn is_allowed(ran: &Ran) -> bool {
    match name(ran) {
        // Not the one in the scratch folder.
        "ls" => ran[0].ends_with("/bin/ls"),
        "git" => ran.get(1).is_some_and(|verb| verb == "status"),
        _ => false,
    }
}

fn name(ran: &Ran) -> &str {
    ran[0].rsplit('/').next().unwrap_or_default()
}

fn removes_by_force(args: &[String]) -> bool {
    let options: Vec<&str> = options(args).collect();
    let has = |letters: &[char], long: &str| {
        options.iter().any(|option| match option.strip_prefix("--") {
            Some(name) => !name.is_empty() && long.starts_with(name),
            None => option.contains(letters),
        })
    };
    has(&['r', 'R'], "recursive") && has(&['f'], "force")
}

fn pushes_by_force(args: &[String]) -> bool {
    let mut rest = args;
    while let Some(option) = rest.first().filter(|word| word.starts_with('-')) {
        // git knows no `--` in front of its verb, and runs nothing.
        if option == "--" {
            return false;
        }
        let takes_value =
            matches!(option.as_str(), "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace");
        rest = rest.get(1 + usize::from(takes_value)..).unwrap_or_default();
    }
    let Some((verb, rest)) = rest.split_first() else { return false };
    let is_force = |option: &str| match option.strip_prefix("--") {
        Some(name) => name == "force",
        // `-o` takes what follows as its value.
        None => option.split('o').next().unwrap_or_default().contains('f'),
    };
    verb == "push" && options(rest).any(is_force)
}

/// The options before `--`: long ones with their dashes, and the letters of the others. Programs refuse a cluster
/// with a sign in it and do nothing, so what follows the sign does not matter.
fn options(args: &[String]) -> impl Iterator<Item = &str> {
    let letters =
        |cluster: &'_ str| cluster.find(|it: char| !it.is_ascii_alphanumeric()).unwrap_or(cluster.len());
    let before = args.iter().take_while(|word| *word != "--");
    before.filter_map(move |word| {
        let cluster = word.strip_prefix('-')?;
        if cluster.starts_with('-') { Some(word.as_str()) } else { Some(&cluster[..letters(cluster)]) }
    })
}
