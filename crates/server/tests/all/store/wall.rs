//! A second wall between teams: every statement is read, and one that touches
//! a team's table without naming the team is found here.

use std::fs;
use std::path::Path;

/// Statements that are about all teams on purpose.
const ABOUT_ALL: [&str; 7] = [
    // The one lookup that finds out which team somebody belongs to.
    "SELECT t.team_id, t.token_id, t.kind",
    "SELECT team_id FROM teams ORDER BY team_id",
    "SELECT team_id FROM teams LIMIT 1",
    "SELECT COUNT(team_id) AS teams FROM teams",
    "SELECT team_id, MAX(sequence) AS sequence FROM manifests GROUP BY team_id",
    // A metric of the whole server.
    "SELECT COUNT(*) AS devices FROM devices WHERE revoked_at IS NULL",
    // Numbers of teams themselves.
    "INSERT INTO settings (name, value) VALUES ('teams', 1)",
];

/// Tables without a team.
const OF_NO_TEAM: [&str; 3] = ["settings", "schema_steps", "sqlite_master"];

#[test]
fn every_statement_names_the_team() {
    let (mut read, mut open) = (0, Vec::new());
    for statement in statements() {
        read += 1;
        let exempt = ABOUT_ALL.iter().any(|known| statement.starts_with(known));
        if !exempt && touches_a_team(&statement) && !names_the_team(&statement) {
            open.push(statement);
        }
    }
    assert!(read > 60, "only {read} statements were found: this test reads the wrong place");
    assert!(open.is_empty(), "these statements do not say which team they mean:\n{}", open.join("\n"));
}

#[test]
fn a_statement_without_the_team_would_be_found() {
    for (statement, fine) in [
        ("SELECT * FROM hooks WHERE team_id = $1 AND hook_id = $2", true),
        ("SELECT * FROM hooks WHERE hook_id = $1", false),
        ("SELECT team_id FROM hooks WHERE hook_id = $1", false),
        ("DELETE FROM hooks", false),
        ("UPDATE hooks SET team_id = $1", false),
        ("UPDATE hooks SET x = $2 WHERE team_id = $1", true),
        ("INSERT INTO hooks (team_id, hook_id) VALUES ($1, $2)", true),
        ("INSERT INTO hooks (hook_id) VALUES ($1)", false),
        ("SELECT a FROM x WHERE team_id = $1 UNION ALL SELECT a FROM y", false),
        ("SELECT a FROM x WHERE team_id = $1 UNION ALL SELECT a FROM y WHERE team_id = $1", true),
        ("SELECT a FROM x JOIN y ON y.b = x.b WHERE team_id = $1", false),
    ] {
        assert_eq!(names_the_team(statement), fine, "{statement}");
    }
}

/// Each part of it says `team_id = $1`, or fills `team_id` first.
fn names_the_team(statement: &str) -> bool {
    statement.split(" UNION ALL ").all(|part| match part.strip_prefix("INSERT INTO ") {
        Some(rest) => rest.split_once('(').is_some_and(|(_, columns)| columns.starts_with("team_id, ")),
        None => part.contains(" WHERE team_id = $1") && !part.contains(" JOIN "),
    })
}

fn touches_a_team(statement: &str) -> bool {
    let words: Vec<&str> = statement.split_whitespace().collect();
    let tables = words.windows(2).filter(|pair| ["FROM", "INTO", "UPDATE", "JOIN"].contains(&pair[0]));
    // `DO UPDATE SET` names no table.
    let mut tables = tables.map(|pair| pair[1]).filter(|table| *table != "SET");
    tables.any(|table| !OF_NO_TEAM.contains(&table))
}

/// Every statement of the room, on one line. What is made of pieces is an
/// export's or a step's, and is about all teams.
fn statements() -> Vec<String> {
    let mut found = Vec::new();
    for text in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/team/store")) {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        // Outside of text there are no quotes in this room but in comments, which have them in pairs.
        for literal in code.split('"').skip(1).step_by(2) {
            let line = literal.split_whitespace().collect::<Vec<_>>().join(" ");
            let starts =
                ["SELECT ", "INSERT ", "UPDATE ", "DELETE "].iter().any(|verb| line.starts_with(verb));
            if starts && !line.contains("{name}") {
                found.push(line);
            }
        }
    }
    found
}

fn sources(room: &Path) -> Vec<String> {
    let entries = fs::read_dir(room).expect("the room").map(|entry| entry.expect("a file").path());
    entries
        .filter(|path| !path.ends_with("tests.rs"))
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => vec![fs::read_to_string(&path).expect("a file of text")],
        })
        .collect()
}
