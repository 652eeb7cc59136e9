//! The templates that lines are made of. The generator counts how often a line with each of them ran a denied
//! program, so a template that can never run is found.
//!
//! In an argument list, `~` is a blank inside a word and `%T` a script. In a text, `%A` is the spelled
//! command, `%P` its program, `%R` the other words, `%0` the bare name of the program; `%j`, `%r`, `%i` and `%n`
//! are all words (or the other words) as one word: joined by blanks, by commas, by line ends. `%T` is a script,
//! `%Q` the same as one word, `%B` in backticks, `%H` in a here-document, `%L` is `$(script)` as one word and `%M`
//! `a[$(script)]`. `%;` and `%.` end a command, with a new line behind a here-document. `%N` is a variable, `%V` its value.

/// A template that the rules cannot see through, the sentence of `rules.md` that says so, and a template that
/// does the same in the open: only where a rule denies that one is silence excused.
pub struct BlindTemplate {
    pub hidden: &'static str,
    pub open: &'static str,
    pub reason: &'static str,
}

pub const ARGUMENT: &str = "an argument out of `$(…)` or a file";
const COMPUTED: &str = "text that a program computes";
const FILE_NAMES: &str = "names of files";
const OTHER_PROGRAMS: &str = "text for other programs";

#[rustfmt::skip] // a table of short lines
pub const BLIND: &[BlindTemplate] = &[
    BlindTemplate { hidden: "%P $(echo %R)", open: "%P %R", reason: ARGUMENT },
    BlindTemplate { hidden: "%P `printf '%s ' %R`", open: "%P %R", reason: ARGUMENT },
    BlindTemplate { hidden: "x=$(echo %R); %P $x", open: "x=%r; %P $x", reason: ARGUMENT },
    BlindTemplate { hidden: "echo %R >l; read x <l; %P $x", open: "x=%r; %P $x", reason: ARGUMENT },
    BlindTemplate { hidden: "echo %R >l; xargs %P <l", open: "xargs %P <<<%r", reason: ARGUMENT },
    BlindTemplate { hidden: "echo %R >l; xargs -a l %P", open: "xargs %P <<<%r", reason: ARGUMENT },
    BlindTemplate { hidden: "x=$(tr @ '$' <<<'a[@(%0 -rf x)]'); : $((x))", open: "x='a[$(%0 -rf x)]'; : $((x))", reason: COMPUTED },
    BlindTemplate { hidden: "echo %R | xargs -I{} echo {} | xargs %P", open: "echo %R | xargs %P", reason: COMPUTED },
    BlindTemplate { hidden: ">./-rf; %0 *", open: "%0 -rf", reason: FILE_NAMES },
    BlindTemplate { hidden: "awk 'BEGIN { system(ARGV[1]) }' %Q", open: "bash -c %Q", reason: OTHER_PROGRAMS },
];

/// Programs that run the words behind them.
#[rustfmt::skip] // a table of short words
pub const PREFIXES: &[&str] = &[
    "timeout 5", "timeout -s KILL 5", "timeout --signal=KILL 5s", "timeout --sig KILL 5", "timeout -k1 5", "timeout --kill-a 1 5", "timeout --preserve-status 5", "timeout --fore 5", "timeout -vsKILL 5", "timeout -v -k 1 -- 5",
    "env", "env A=b", "env -u X", "env -uX", "env --uns X", "env --unset=X", "env -v", "env -C .", "env --chdir .", "env --chd=.", "env -vC.", "env --", "env -- A=b", "env -u X -v A=b", "env --ignore-signal=INT", "env --block-sig -v",
    "nice", "nice -n 5", "nice -n5", "nice -5", "nice --adj 5", "nice --adjustment=5", "nohup", "nohup --", "setsid -w", "setsid --wait", "setsid --wa --", "stdbuf -oL", "stdbuf -o L", "stdbuf --out L", "stdbuf --output=L -i0", "stdbuf -i0 -oL -e0",
    "ionice -c3", "ionice --class 3", "ionice -t -c 2 -n 7", "flock s", "flock -n s", "flock --wait 1 s", "flock -w1 s", "flock --time 1 s", "flock -xE5 s", "flock --no-fork s", "taskset 1", "taskset -c 0", "chrt -b 0", "chrt --batch 0",
    "setarch x86_64", "linux64", "prlimit --nofile=100", "prlimit -n100", "setpriv --no-new-privs", "xargs", "xargs -n9", "xargs --max-args 9", "xargs --max-a=9", "xargs -0", "xargs -t", "xargs -P 2 -n9",
    "bash -c \"$@\" _", "bash -c \"$0\"~\"$@\"", "bash -c exec~\"$@\" _", "sh -c \"$@\" -", "env bash -c $*~;~\"$@\" :", "command", "command --", "builtin command", "exec", "exec -a z", "exec -ca z", "exec --", "eval", "eval --", "builtin eval", "command eval",
];

/// Programs with a script among their arguments; `%E` is a command as `env -S` quotes it.
#[rustfmt::skip] // a table of short words
pub const SCRIPT_WORDS: &[&str] = &[
    "sh -c %T", "bash -c %T", "bash -ec %T", "bash -c %T _ a", "bash -xc %T", "bash --norc -c %T", "bash -o pipefail -c %T", "bash -oc pipefail %T", "bash +B -c %T", "bash -O extglob -c %T", "bash --posix -c %T", "bash -p -c %T", "bash -c -- %T",
    "bash -c -e %T", "bash -ce %T", "sh -ec %T", "bash --noprofile --norc -uc %T", "bash +eo pipefail -c %T", "script -qc %T /dev/null", "script -qc%T /dev/null", "script -q --comm %T f", "script -q --command=%T f", "script -c %T -q f", "flock s -c %T",
    "flock -n s -c %T", "flock s --command %T", "env bash -c %T", "env -S %E", "env -S%E", "env -vS %E", "env -vS%E", "env --split-string=%E", "env --split %E", "env -u X -S %E", "env -C . -S%E", "env -S-v~%E", "env A=b -S %E", "env - PATH=../bin -S %E", "find . -maxdepth 0 -exec bash -c %T ;",
    "find . -maxdepth 0 -exec bash -c %T _ {} +", "find -maxdepth 0 -execdir sh -c %T ;", "xargs bash -c %T", "xargs -n1 sh -c %T", "setsid -w sh -c %T", "capsh -- -c %T", "trap %T EXIT", "trap -- %T 0", "eval %T", "builtin eval -- %T", "timeout 5 bash -c %T", "nice bash -c %T",
];

/// A simple command, in other forms.
#[rustfmt::skip] // a table of short lines
pub const COMMANDS: &[&str] = &[
    ">f %A", "%P >f %R", "%A 2>&1", "%A </dev/null", "<<<x %A", "A=b C=d %A", "{fd}>f %A", "(exec %A)", "coproc %A\nwait", "! %A", "time %A", "time -p -- %A", "%A &>f", "%A >&2", "%A <>f", "%A 2>f | cat", "A=(b) B=c %A", "A[0]=b %A", "A+=b %A",
    "x=(%A); \"${x[@]}\"", "x=(%A); ${x[*]}", "set -- %A; \"$@\"", "set -- %A; $*", "set -- %R; %P \"$@\"", "set -- %R; %P $1 $2 $3 $4 $5", "x=(%R); %P ${x[@]}", "x=(%R); %P \"${x[@]:0}\"", "x=(%R); x=(\"${x[@]}\" z); %P \"${x[@]}\"", "set -- z %A; shift; \"$@\"",
    "f() { \"$@\"; }; f %A", "f() { %0 \"$@\"; }; f %R", "f() { %0 $*; }; f %R", "f() { local a=$1; shift; %0 $a \"$@\"; }; f %R", "f() { $1 $2 $3 $4 $5 $6; }; f %A", "g=f; f() { \"$@\"; }; $g %A", "f() { g \"$@\"; }; g() { \"$@\"; }; f %A", "f() { \"${@}\"; }; eval 'f %0 \"$@\"'; f %A",
    "shopt -s expand_aliases\nalias g=%0\ng %R", "shopt -s expand_aliases\nalias g=%j\ng", "shopt -s expand_aliases\nalias g='command '\ng %A", "shopt -s expand_aliases\nalias h=%0 g='command '\ng h %R", "shopt -s expand_aliases\nBASH_ALIASES[g]=%0\ng %R",
    "hash -p \"$(type -P %P)\" g; g %R", "hash -p ../bin/%0 g; g %R", "BASH_CMDS[g]=$(type -P %P); g %R", "BASH_CMDS[g]=../bin/%0; g %R", "$(type -P %P) %R", "\"$(command -v %P)\" %R", "$(echo %P) %R", "`echo %P` %R", "\"$PATH\"/%P %R", "$PATH/%P %R", "../bin/%P %R",
    "./../bin/%P %R", "~/../bin/%P %R", "cd ../bin; ./%P %R", "cd ..; bin/%P %R", "PATH=../bin; %A", "PATH=../bin %A", "ln -s ../bin/%0 g; ./g %R", "ln -s ../bin/%0 %0; ./%0 %R", "../b*/%0 %R",
    "echo %R | xargs %P", "xargs %P <<<%r", "printf '%s\\n' %R | xargs -n9 %P", "printf '%s\\0' %R | xargs -0 %P", "cat <<E | xargs %P\n%r\nE", "xargs -d , %P <<<%c", "echo %j | xargs -n9 env", "echo %j | xargs -I{} bash -c {}", "printf '%s\\n' %R | xargs -L9 %P",
    "find . -maxdepth 0 -exec %A \\;", "find . -maxdepth 0 -exec %A {} +", "find . -maxdepth 0 -exec %P {} %R \\;", "find -maxdepth 0 -execdir %A ';'", "echo y | find . -maxdepth 0 -ok %A \\;", "find . -maxdepth 0 -type d -a -exec %A \\; -print", "{%C}", "%P {%c}", "eval {%C}", "{%C,}",
    "IFS=,; x=%i; $x", "IFS=, read -ra a <<<%i; \"${a[@]}\"", "read -ra a <<<%j; \"${a[@]}\"", "x=%j; $x", "x=%j; eval $x", "x=%r; %P $x", "declare x=%j; $x", "read x <<<%j; $x", "mapfile -t a <<<%n; \"${a[@]}\"", "read -d '' -ra a <<<%n; \"${a[@]}\"", "x=%j; ${x}", "x=%j; x=$x; $x",
    "for w in %R; do s=\"$s $w\"; done; %P $s", "for w in %A; do a+=(\"$w\"); done; \"${a[@]}\"", "printf -v x '%s ' %R; %P $x", "while read -r w; do a+=(\"$w\"); done <<<%n; \"${a[@]}\"", "select w in %j; do $w; break; done <<<1", "[[ %j =~ .* ]]; ${BASH_REMATCH[0]}", "[[ %r =~ (.*) ]]; %P ${BASH_REMATCH[1]}",
    "declare -A m=([k]=%j); ${m[k]}", "a=([2]=%j); ${a[2]}", "set - %R; %P $*", "set -- z %R; %P \"${@:2}\"", "env x=%r bash -c '%0 $x'", "export x=%r; bash -c '%0 $x'", "x=%r sh -c '%0 $x'", "x=%r; export x; sh -c '%0 $x'", "sh -c '%0 $1 $2 $3 $4' _ %R", "sh -c '%0 \"$@\"' _ %R", "bash -c 'shift; %0 \"$@\"' _ a %R",
    "f() { %0 $x; }; x=%r; f", "f() { %0 $x; }; x=%r f", "trap '%0 $x' EXIT; x=%r", "%P \"${u[@]}\" %R", "%P \"$@\" %R", "%P ${u+x} %R", "x=%r; y=x; %P ${!y}", "declare -n y=x; x=%r; %P $y", "x=%r; %P ${x//q/z}", "x=%r; %P ${x:0}", "x=q%r; %P ${x#q}", "x=%r; x+=' z'; %P $x", "x=; x+=%r; %P $x",
    "f() { x=%r; }; f; %P $x", "f() { local -n y=$1; y=%r; }; f x; %P $x", "f() { printf -v $1 %s %r; }; f x; %P $x", "f() { read $1 <<<%r; }; f x; %P $x", "f() { declare -g $1=%r; }; f x; %P $x", "f() { eval $1=%Z; }; f x; %P $x", "n=x; declare $n=%r; %P $x", "n=x; export $n=%r; %P $x", "n=x; read $n <<<%r; %P $x", "n=x; printf -v $n %s %r; %P $x",
    ". /dev/stdin <<<x=%Z; %P $x", "source <(echo x=%Z); %P $x", "coproc { echo %r; }; read x <&${COPROC[0]}; %P $x", "exec 6<<<%r; read x <&6; %P $x", "read -u 6 x 6<<<%r; %P $x", "shopt -s lastpipe; echo %R | read x; %P $x", "echo %R | { read x; %P $x; }", "{ read x; %P $x; } <<<%r", "while read x; do %P $x; done <<<%r",
    "getopts rf: x -r; OPTIND=1; %A", "set -- %r; %P $_ $1", ": %r; %P $_", "set -o allexport; x=%r; bash -c '%0 $x'", "x=(); x[3]=%r; %P ${x[3]}", "x=(%R); for i in ${!x[@]}; do y+=(${x[i]}); done; %P ${y[@]}", "trap 'x=%Z' DEBUG; :; %P $x", "if x=%r; then %P $x; fi", "x=%r eval '%0 $x'", "local=%r; %P $local", "bash -s %A <<<'\"$@\"'",
    "alias g=%0; eval 'shopt -s expand_aliases'\neval 'g \"$@\"'; %A", "((x=1)) && %A", "exec 3>f; %A >&3", "PATH=$PATH:. %A", "LC_ALL=C %A", "BASH_ARGV0=%0; $0 %R", "bash -c '$0 \"$@\"' %A", "%A #%r", "echo %r; %A", ": <<E; %A\n%r'\"\nE", "%P <<E %R\n$(:)\nE", "%P <<'E' %R\n$(\nE", "cat <<A <<'B'; %A\nx\nA\n`\nB",
];

/// A script that runs, in another text.
#[rustfmt::skip] // a table of short lines
pub const TEXTS: &[&str] = &[
    ": $(%T%.)", "echo \"$(%T%.)\"", "x=$(%T%.)", "echo `%B`", ": \"`%B`\"", "cat <(%T%.)", ": > >(%T%.)", "[[ $(%T%.) ]]", "((x=$(%T%.)0))", ": $(( $(%T%.) + 1 ))", "a=($(%T%.))", "a[$(%T%.)0]=1", "case $(%T%.) in *) ;; esac", "for i in $(%T%.); do :; done", "cat <<E\n$(%T%.)\nE", "cat <<E\n`%B`\nE", "cat <<<$(%T%.)",
    ": ${u:-$(%T%.)}", ": \"${u:=`%B`}\"", ": ${u-$(%T%.)}", ": 2>$(%T%.)f", "X=$(%T%.) true", "echo \"a $(echo \"b $(%T%.)\")\"", ": ${a[$(%T%.)0]}", "X=a; : ${X:$(%T%.)0}", "X=a; : ${X/$(%T%.)/}", "X=a; : ${X#$(%T%.)}", ": $[$(%T%.)0]", "let \"x=$(%T%.)0\"", "test -z \"$(%T%.)\"", "declare x=$(%T%.)", "export x=\"$(%T%.)\"", "printf -v x %s \"$(%T%.)\"",
    "while [ -n \"$(%T%.)\" ]; do break; done", "exec 4< <(%T%.); cat <&4", "$(%T%.)", "if [ \"$(%T%.)\" ]; then :; fi", ": {a,$(%T%.)}", "f() { echo $1; }; f \"$(%T%.)\"", "readonly x=`%B`", "a+=($(%T%.))", "declare -A m=([$(%T%.)k]=1)", "cat <<-E\n\t$(%T%.)\n\tE", "echo $'a' $(%T%.) \"b\"", ": \"$(cat <<E\n$(%T%.)\nE\n)\"", "echo \"${u:-\"$(%T%.)\"}\"", ": $((`%B`+1))",
    "eval %Q", "eval -- %Q", "bash <<'E'\n%T\nE", "bash <<E\n%H\nE", "bash <<-'E'\n\t%T\n\tE", "bash <<<%Q", "sh <<<%Q", "echo %Q | bash", "printf '%s\\n' %Q | sh", "cat <<'E' | bash\n%T\nE", "bash <(echo %Q)", ". <(echo %Q)", "source /dev/stdin <<<%Q", ". /dev/stdin <<'E'\n%T\nE", "bash /dev/stdin <<<%Q", "bash /dev/fd/0 <<<%Q", "bash /proc/self/fd/0 <<<%Q",
    "bash //dev//stdin <<<%Q", "bash /dev/./stdin <<<%Q", "cd /dev; bash ./stdin <<<%Q", "cd /dev/fd; . ./0 <<<%Q", "exec 5<<<%Q; . /dev/fd/5", "exec 5<<<%Q; bash <&5", "bash /dev/fd/6 6<<<%Q", "bash 0<<<%Q", "bash -s <<<%Q", "bash -s a b <<<%Q", "bash - <<<%Q", "bash < <(echo %Q)", "{ bash; } <<<%Q", "echo %Q | { bash; }", "echo %Q | (cat | sh)", "(bash) <<<%Q", "if :; then bash; fi <<<%Q",
    "echo %Q >s; bash s", "echo %Q >s.sh; . ./s.sh", "cat >s <<'E'\n%T\nE\nchmod +x s; ./s", "printf '%s\\n' %Q >s; sh ./s", "tee s <<<%Q; bash s", "echo %Q | tee s >f; bash <s", "echo %Q >s; cat s | bash", "echo %Q >s; eval \"$(cat s)\"", "echo %Q >s; eval \"$(<s)\"", "echo %Q >s; bash -c \"$(<s)\"", "echo %Q >s; . s", "echo %Q >s; cd .; ./../home/s || bash ../home/s", "{ echo %Q; } >s; bash s", "exec 8>s; echo %Q >&8; bash s",
    "ln -s /dev/stdin y; bash y <<<%Q", "x=%Q; eval \"$x\"", "x=%Q; bash -c \"$x\"", "export x=%Q; bash -c 'eval \"$x\"'", "x=%Q bash -c 'eval \"$x\"'", "bash -c 'eval \"$1\"' _ %Q", "x=%Q; . <(echo \"$x\")", "x=%Q; bash <<<\"$x\"", "x=%Q; bash <<E\n$x\nE", "x=%Q; echo \"$x\" | sh", "x=%Q; trap \"$x\" EXIT", "trap %Q EXIT", "trap -- %Q 0", "trap %Q DEBUG; :", "trap %Q ERR; false", "trap %Q USR1; kill -USR1 $$", "trap %Q RETURN; . /dev/null",
    "f() { eval \"$1\"; }; f %Q", "f() { %T%;}; export -f f; bash -c f", "f() { %T%;}; export -f f; env bash -c f", "f() { %T%;}; g=f; $g", "f() { %T%;}; eval f", "f() { %T%;}; trap f EXIT", "f() { %T%;}; eval \"$(declare -f f); f\"", "f() { %T%;}; bash -c \"$(declare -f f); f\"", "env 'BASH_FUNC_ls%%=() { %S%;}' bash -c ls", "command_not_found_handle() { %T%;}; nosuchprogram", "ls() { %T%;}; ls",
    "shopt -s expand_aliases\nalias g=%Q\ng", "shopt -s expand_aliases\nBASH_ALIASES[g]=%Q\ng", "shopt -s expand_aliases\nBASH_ALIASES=([g]=%Q)\ng", "shopt -s expand_aliases\nalias ls=%Q\nls", "PS4=%L; set -x; :", "PS4=%L bash -xc :", "x=%L; : ${x@P}", "x=%L; echo \"${x@P}\"", "printf '%s\\n' 'unset BASH_ENV' %Q >s; BASH_ENV=s bash -c :", "printf '%s\\n' 'unset BASH_ENV' %Q >s; env BASH_ENV=./s bash -c :",
    "env SHELLOPTS=xtrace PS4=%L bash -c :", "mapfile -C %Q -c 1 <<<x", "readarray -C%Q -c1 a <<<x", "compgen -C %Q", "compgen -W %L", "exec bash -c %Q", "command eval %Q", "builtin eval %Q", "builtin . /dev/stdin <<<%Q", "command . /dev/stdin <<<%Q", "eval \"$(echo %Q)\"", "eval \"$(cat <<'E'\n%T\nE\n)\"", "eval $'\\x65val' %Q", "coproc bash <<<%Q\nwait",
    "echo %Q | xargs -d '\\n' -I{} bash -c {}", "echo %Q | xargs -0 bash -c", "xargs -I{} bash -c %Q <<<1", "read -r x <<<%Q; eval \"$x\"", "mapfile -t a <<<%Q; eval \"${a[@]}\"", "while read -r l; do eval \"$l\"; done <<<%Q", "while read -r l; do $l; done <<<%Q", "IFS= read -rd '' x <<'E'\n%T\nE\neval \"$x\"", "printf -v x %s %Q; eval \"$x\"", "x=(eval %Q); \"${x[@]}\"", "set -- %Q; eval \"$1\"", "for x in %Q; do eval \"$x\"; done",
    "echo %Q | tac | bash", "echo %Q | sort | sh", "echo %Q | cat - | bash", "bash -c 'bash' <<<%Q", "timeout 5 bash <<<%Q", "env sh <<<%Q", "exec bash <<<%Q", "nice bash -s <<<%Q", "exec <<<%Q; bash", "exec 0<<<%Q; . /dev/stdin", "exec < <(echo %Q); sh", "bash <<<x%Q; %T", "BASH_XTRACEFD=1; %T", "bash -c \"`cat <<'E'\n%B\nE\n`\"", "bash --rcfile <(echo %Q) -ic : </dev/null",
    "bash -c \"$0\" %Q", "bash -c 'eval \"$0\"' %Q", "history -s x; fc -s 2>f; %T", "set -- bash -c %Q; \"$@\"", "f() { bash -c \"$*\"; }; f %Q", "x=%Q; y=x; eval \"${!y}\"", "x=%Q; eval \"${x[0]}\"", "declare -A m; m[k]=%Q; eval \"${m[k]}\"", "env -S 'bash -c' %Q", "bash <<<'eval \"$1\"' -s %Q", "bash -s %Q <<<'eval \"$1\"'", "echo 'eval \"$1\"' >s; bash s %Q", "xargs -a <(echo %j) env", "timeout 5 xargs -I{} bash -c {} <<<%Z",
];

/// What bash evaluates by itself.
#[rustfmt::skip] // a table of short lines
pub const EVALUATIONS: &[&str] = &[
    "x=%M; : $((x))", "x=%M; ((x))", "x=%M; [[ x -eq 1 ]]", "x=%M; let x", "let %M", "x=%M; : ${a[x]}", "x=%M; : ${!x}", "s=a; x=%M; : ${s:x}", "s=a; x=%M; : ${s:0:x}", "declare -i y; y=%M", "declare -i y=%M", "x=%M; read \"$x\" <<<1", "read %M <<<1", "printf -v %M 1", "x=%M; printf -v \"$x\" 1", "test -v %M", "[ -v %M ]", "[[ -v %M ]]", "unset %M",
    "a=1; unset %M", "declare %M=1", "x=%M; for ((i=x;i<1;i++)); do :; done", "x=%M; : $[x]", "SECONDS=%M", "RANDOM=%M", "OPTIND=%M", "x=%M; mapfile \"$x\" <<<1", "getopts a %M -a", "x=%M; : $((y=x))", "x=%M; y=x; : $((y))", "x=%M; : ${a[x]:-b}", "x=%M; a[x]=1", "x=%M; (( a[x] ))", "x=%M; b=([x]=1)", "x=%M; declare -a b=([x]=1)", "x=%M; [[ 1 -lt x ]]", "x=%M; [[ $x -eq 1 ]]",
    "set -- %M; : $(($1))", "f() { : $(($1)); }; f %M", "f() { local -i n=$1; }; f %M", "x=%M; eval ': $((x))'", "export x=%M; bash -c ': $((x))'", "x=%M bash -c ': $((x))'", "bash -c ': $(($1))' _ %M", "read -r x <<<%M; : $((x))", "x=%M; : <<<$((x))", "declare -n r=%M; : $r", "x=%M; : $(( ${x} ))", "x=%M; : $((`echo x`))", "b=%M; : $((b[0]))", "x=%M; (( $x ))", "x=%M; case $((x)) in *) ;; esac", "x=%M; printf -v 'a[x]' 1",
    "x=%M; read 'a[x]' <<<1", "x=%M; exec {a[x]}>f", "x=%M; while ((x)); do break; done", "x=%M; : ${@:x}", "set -- a; x=%M; : ${@:1:x}", "a=(b); x=%M; : ${a[@]:x}", "x=%M; : ${#a[x]}", "a=b; x=%M; : ${a:$((x))}", "for x in %M; do : $((x)); done", ": ${x:=%G} $((x))", "x=%M; declare -i y=x", "x=%M; typeset -i y; y+=x", "x=%M; integer=1; let integer+=x", "x=%M; : $((1 ? x : 0))", "x=%M; ((x++))", "x=%M; ((a[x]++))",
    "x=%M; echo \"$((x))\"", "x=%M; cat <<E\n$((x))\nE", "x=%M; y=$((x)) true", "x=%M; : >/dev/null$((x))", "x=%M; f() { echo $((x)); }; f", "x=%M; trap ': $((x))' EXIT", "x=%M; [ -v \"a[x]\" ]", "x=%M; unset 'a[x]'", "a=1; x=%M; unset 'a[x]'", "x=%M; [[ -v a[x] ]]", "x=%M; declare \"a[x]=1\"", "x=%M; export y; ((y+=x))", "mapfile -t x <<<%M; : $((x))", "printf -v x %s %M; : $((x))", "declare x=%M; : $((x))", "x=%M; declare +i y; ((y=x))",
    "IFS= read -r x < <(echo %M); : $((x))", "x=%M; (: $((x)))", "x=%M; : $(: $((x)))", "x=%M; : \"${a[$x]}\"", "x=%M; : ${a[$x]}", "x=%M; : ${a:-${b[x]}}", "local x; x=%M; : $((x))", "readonly x=%M; : $((x))", "x=%M; test -v a[x]", "x=%M; HISTCMD=x", "x=%M; [[ a[x] -ge 0 ]]", "x=%M; until ((!x)); do break; done", "let y=%M", "let 'x=1' %M", "((x=1)) || let %M",
];

/// A command that runs a script as it is written.
#[rustfmt::skip] // a table of short lines
pub const STATEMENTS: &[&str] = &[
    "true; %T", "%T%;true", "false || %T", "true && %T", "{ %T%;}", "( %T%.)", "if true; then %T%;fi", "if %T%;then :; fi", "if false; then :; else %T%;fi", "if false; then :; elif true; then %T%;fi", "while true; do %T%;break; done", "until %T%;do break; done", "for i in 1; do %T%;done", "for ((i=0;i<1;i++)); do %T%;done", "for ((i=0;i<1;i++)) { %T%;}", "for i in 1; { %T%;}",
    "case x in x) %T%;;; esac", "case x in (y|x) %T\n;; esac", "case x in x) :;& y) %T\n;; esac", "case x in x) :;;& *) %T\nesac", "f() { %T%;}; f", "f() ( %T%.); f", "function f { %T%;}; f", "function f() { %T%;}\nf", "f() { %T%;} >/dev/null; f", "f() if true; then %T%;fi; f", "! { %T%;}", "time { %T%;}", "time -p ( %T%.)", "{ %T%;} &\nwait", "{ %T%;} | cat", "true | { %T%;}",
    "coproc { %T%;}; wait", "coproc N { %T%;}; wait", "select i in a; do %T%;break; done <<<1", "[[ -n x ]] && %T", "((1)) && %T", "{ %T%;} 2>/dev/null", "exec 3<&0; %T", "set -e; %T", "# it's a comment\n%T", "echo 'a;b' \"c\\\"d\" # x\n%T", "cat <<'Q'\nit's $(\nQ\n%T", "x=${y:-a}; %T", "cd . && %T", "while read -r l; do %T%;done <<<1", "echo a | while read l; do %T%;done", "for i in 1 2; do [ $i = 2 ] && %T\ndone",
    "trap : EXIT; %T", "set -- a b; %T", "IFS=:; %T", "unset IFS; %T", "set -f; %T", "shopt -s extglob nullglob; %T", "shopt -s lastpipe; %T", "set -o posix; %T", "set -k; %T", "(exec 3>&1; %T%.)", "unalias -a; %T", "set +B; %T", "x='$('; y=\"it's\"; %T", "echo \\\\; %T", "echo \\\n a; %T", "echo ${x//\\'/a} \"${y#\\\"}\"; %T", "echo $((1<<2)); %T", "echo a#b; %T", "[[ a =~ (b|'c') ]]; %T", "[[ ( a == b || c < d ) && -n e ]]; %T",
    "arr=(a 'b c' # d\n e); %T", "echo \"${x:-\"a b\"}\"; %T", "echo {a,'b c',\"d\"}; %T", "((x=(1+2)*3)); %T", ": $(case x in x) :;; esac); %T", ": $(( (1) )) ; %T", "echo $'it\\'s'; %T", "echo \"`echo \\\"a\\\"`\"; %T", "if [[ $x == *.c ]]; then :; fi; %T", "while :; do %T%;break; done </dev/null >f 2>&1", "f() { :; }; f () { %T%;}; f", "case \"a b\" in \"a b\") %T%;;; esac", "for i in a b; do :; done && { %T%;}", "{ :; } && ( :; ) || :; %T",
];

/// Ways to give a variable its value.
#[rustfmt::skip] // a table of short lines
pub const SETTINGS: &[&str] = &[
    "%N=%V", "export %N=%V", "declare %N=%V", "typeset -x %N=%V", "readonly %N=%V", "read -r %N <<<%V", "printf -v %N %s %V", ": ${%N:=%V}", ": \"${%N=%D}\"", "for %N in %V; do :; done", "%N=(%V)", "%N=([0]=%V)", "eval %N=%Z", "%N=; %N+=%V", "mapfile -t %N <<<%V", "IFS= read -r %N <<<%V", "while read -r %N; do break; done <<<%V", "declare -n n%N=%N; n%N=%V",
    "f%N() { %N=$1; }; f%N %V", "f%N() { declare -g %N=$1; }; f%N %V", "declare \"%N\"=%V", "n%N=%N; declare $n%N=%V", "printf -v \"%N\" %V", "%N[0]=%V", "set -- %V; %N=$1", "x=%V; %N=$x", "x=%V; %N=\"$x\"", "export %N; %N=%V", "read %N <<E\n%W\nE", "read -ra %N <<<%V", "%N=z; %N=%V", "let x=1; %N=%V", "declare -r %N=%V", "%N=%V; export %N", "builtin declare %N=%V", "command export %N=%V", "%N=(a %V); %N=${%N[1]}",
    "[[ %V =~ .* ]]; %N=${BASH_REMATCH}", "{ %N=%V; }", "if true; then %N=%V; fi", "case a in a) %N=%V;; esac", "true && %N=%V", "! %N=%V", "time %N=%V", "select %N in %V; do break; done <<<1", ". /dev/stdin <<<%N=%Z", "trap %N=%Z DEBUG; :", "shopt -s lastpipe; echo %V | read -r %N", "coproc echo %V; read -r %N <&${COPROC[0]}", "read -rd '' %N <<<%V",
];

/// Ways to take the value of a variable.
#[rustfmt::skip] // a table of short lines
pub const REFERENCES: &[&str] = &[
    "$%N", "${%N}", "\"$%N\"", "\"${%N}\"", "${%N:-q}", "\"${%N-q}\"", "${%N:0}", "${%N#q}", "${%N%q}", "${%N/q/z}", "${%N//q}", "${%N[0]}", "\"${%N[@]}\"", "${%N[*]}", "${%N[-1]}", "${%N,}", "${%N@Q}", "${%N@E}", "${u:-$%N}", "${u:-\"$%N\"}", "${%N:+$%N}", "${%N?}", "\"${%N:?q}\"", "$\"${%N}\"", "${%N::9}", "${%N%%q*}", "${%N##q*}", "\"${%N[@]:0:1}\"",
];
