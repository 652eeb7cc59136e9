//! What is measured together: contenders whose rounds are shuffled into one another.

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Who {
    /// The static build, the one that is shipped.
    Musl,
    /// The ordinary build.
    Glibc,
    /// The static build inside a process of 1 GB.
    LargeMusl,
    /// The ordinary build inside a process of 1 GB.
    LargeGlibc,
    /// A warm Node.
    Node,
}

/// One thing to ask for in every round.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// Whom.
    pub who: Who,
    /// What, in the contender's words.
    pub request: &'static str,
    /// Under which name the numbers are kept; a second floor needs a second name.
    pub name: &'static str,
    /// The value of a round is the median of so many measurements.
    pub times: usize,
}

/// A set of things to ask for, and how often.
pub struct Stage {
    /// Its name; metrics find their numbers by it.
    pub name: &'static str,
    /// Whether contenders stay on one processor.
    pub pinned: bool,
    /// How many rounds.
    pub rounds: usize,
    /// What every round asks for, beside the two floors.
    pub asks: Vec<Ask>,
}

/// The name of the floor, and of the floor measured again.
pub const FLOOR: &str = "floor tiny";
/// The same program once more: whatever these two differ by is noise.
pub const AGAIN: &str = "floor tiny again";

/// Stages in which the command itself takes part.
const WITH_COMMAND: [&str; 3] = ["command", "daemon", "adapter"];

/// Whether the command is needed: to build it takes most of the time.
pub fn needs_command(only: Option<&str>) -> bool {
    only.is_none_or(|name| WITH_COMMAND.contains(&name))
}

const BUILDS: [Who; 2] = [Who::Musl, Who::Glibc];

/// Every stage in its order.
pub fn stages() -> Vec<Stage> {
    vec![
        stage("tiny", true, 400, 1, &["runner tiny", "engine tiny"], &[]),
        stage(
            "in process",
            true,
            200,
            1,
            &["unmatched none", "rules asked", "rules silent", "rules files", "rules load"],
            &[],
        ),
        stage("script", true, 200, 1, &["floor shell", "engine shell", "floor bash", "engine bash"], &[]),
        stage(
            "command",
            true,
            200,
            1,
            &["floor true", "cli none", "cli tiny", "cli version", "floor peer"],
            &[],
        ),
        // Two processes that talk to each other: nobody pins them to one processor.
        stage("daemon", false, 200, 1, &["floor true", "daemon none", "cli none", "cli daemon"], &[]),
        stage("adapter", true, 200, 1, &["launcher bash", "agent bash", "launcher tiny", "agent tiny"], &[]),
        stage(
            "small payload",
            true,
            200,
            1,
            &["pipe 1024", "ready 1024", "pipe 1000000", "ready 1000000", "event 1000000", "content 1000000"],
            &[],
        ),
        stage(
            "large payload",
            true,
            24,
            10,
            &["pipe 50000000", "ready 50000000", "event 50000000", "content 50000000"],
            &[],
        ),
        stage("peers", false, 200, 1, &["engine tiny", "floor bash", "engine bash"], PEERS),
        stage("parallel", false, 200, 1, &["floor8 bash", "engine bash8"], PARALLEL_PEERS),
        stage(
            "sleepers",
            false,
            40,
            6,
            &["engine sleep", "engine sleep8", "engine slowest", "engine sleep16"],
            &[],
        ),
        stage("timeouts", false, 20, 12, TIMEOUTS, &[]),
        stage("kept", false, 60, 4, KEPT, &[]),
        stage("kept in a run", false, 60, 10, KEPT_IN_A_RUN, &[]),
        stage("kept pinned", true, 60, 4, KEPT_IN_A_RUN, &[]),
        large_parent(),
    ]
}

const PEERS: &[&str] = &["pipeline tiny", "gemini tiny", "pipeline bash", "gemini bash"];
const PARALLEL_PEERS: &[&str] = &["pipeline8 bash", "gemini8 bash"];
const TIMEOUTS: &[&str] = &[
    "runner sleeper",
    "runner term-trap",
    "runner grandchild",
    "runner escapee",
    "runner answers",
    "runner answers-leaves-child",
    "runner talks-leaves-child",
];

const KEPT: &[&str] = &[
    "cold node",
    "cold python",
    "cold bash",
    "stays node",
    "bare node",
    "nobody asked",
    "ahead node",
    "ahead python",
    "ahead bash",
];

const KEPT_IN_A_RUN: &[&str] = &["cold-in-a-run node", "stays-in-a-run node", "bare-in-a-run node"];

fn stage(
    name: &'static str,
    pinned: bool,
    rounds: usize,
    floors: usize,
    ours: &'static [&'static str],
    node: &'static [&'static str],
) -> Stage {
    let mut asks = Vec::new();
    for who in BUILDS {
        asks.extend([FLOOR, AGAIN].map(|name| Ask { who, request: FLOOR, name, times: floors }));
        asks.extend(ours.iter().map(|&request| once(who, request)));
    }
    asks.extend(node.iter().map(|&request| once(Who::Node, request)));
    Stage { name, pinned, rounds, asks }
}

/// The same hook from a small process and from one of 1 GB.
fn large_parent() -> Stage {
    let mut stage = stage("large parent", true, 200, 1, &["engine tiny"], &[]);
    stage.asks.extend([Who::LargeMusl, Who::LargeGlibc].map(|who| once(who, "engine tiny")));
    stage
}

fn once(who: Who, request: &'static str) -> Ask {
    Ask { who, request, name: request, times: 1 }
}
