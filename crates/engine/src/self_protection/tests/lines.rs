//! Command lines that hide what they change, and everyday lines that must not ask.

use super::{Machine, Touched};

#[test]
#[rustfmt::skip] // a table of short lines
fn agents_n4_lines_that_hide_what_they_change_are_recognised() {
    let machine = Machine::new();
    let lines = [
        // Readers that write, and programs that only have the name of one.
        "uniq f ~/.cursor/hooks.json", "xxd f ~/.cursor/hooks.json", "xxd -r f ~/.cursor/hooks.json", "yq -i '.hooks={}' ~/.cursor/hooks.json", "prettier --write ~/.cursor/hooks.json",
        "rg --pre rm x ~/.cursor/hooks.json", "rg --pre=rm x ~/.cursor", "ln -s /bin/rm cat; ./cat ~/.cursor/hooks.json", "hash -p /bin/rm ls; ls ~/.cursor/hooks.json", "alias cat=rm\ncat ~/.cursor/hooks.json",
        "cat() { rm \"$@\"; }; cat ~/.cursor/hooks.json", "ln -s /bin/rm b/cat; PATH=b:$PATH; cat ~/.cursor/hooks.json", "./ls ~/.cursor", "less -o ~/.cursor/hooks.json f",
        // Programs with a text of their own.
        "sed -n 'w {home}/.cursor/hooks.json' f", "sed '1e rm {home}/.cursor/hooks.json' f", "awk '{print > \"{home}/.cursor/hooks.json\"}' f", "awk 'BEGIN{system(\"rm ~/.cursor/hooks.json\")}'",
        "awk 'BEGIN{system(\"rm ../home/.cursor/hooks.json\")}'", "awk '{print > FILENAME}' ~/.cursor/hooks.json", "awk -v f={home}/.cursor/hooks.json '{print > f}' x", "sed -ni p ~/.cursor/hooks.json", "gawk -i inplace 1 ~/.cursor/hooks.json",
        "sort -o{home}/.cursor/hooks.json f", "sort -uo ~/.cursor/hooks.json f", "sort --output={home}/.cursor/hooks.json f", "sort --out ~/.cursor/hooks.json f",
        "find ~/guards -name '*.py' -delete", "find . -fprint ~/.cursor/hooks.json", "find . -fprintf ~/.cursor/hooks.json x", "find . -fls ~/.cursor/hooks.json", "find fake -name hooks.json -exec cp {} ~/.cursor/ \\;", "find ~/.cursor -name '*.sh' -delete",
        // Names that come out of a command.
        "rm \"$(ls -d ~/.cursor/hooks.json)\"", "d=$(echo ~); rm $d/.cursor/hooks.json", "ls -d ~/.cursor/* | xargs rm", "find ~/.cursor -type f | xargs rm", "echo x > \"$(echo ~/.cursor/hooks.json)\"", "ls -d ~/.cursor/* | while read f; do rm \"$f\"; done",
        "rm `ls -d ../home/.cursor/hooks.json`", "cd $(echo ~) && rm .cursor/hooks.json", "rm \"$UNKNOWN/.cursor/hooks.json\"",
        // Directories.
        "cd ..; cd home; cd .cursor; echo > hooks.json", "CDPATH={home}; cd .cursor; echo > hooks.json", "CDPATH=.. cd home && rm .cursor/hooks.json", "OLDPWD=..; cd -; rm home/.cursor/hooks.json", "env --chdir=../home/.cursor rm hooks.json", "env -C ../home/.cursor rm hooks.json",
        "rm ~+/../home/.cursor/hooks.json", "cd ..; rm ~-/../home/.cursor/hooks.json", "mkdir -p a/b/c/d/e/f/g; cd a; cd b; cd c; cd d; cd e; cd f; cd g; cd ../../../../../../../..; cd home; cd .cursor; echo > hooks.json",
        "cd ../home/.curso?; rm hooks.json", "cd ~; echo > $PWD/.cursor/hooks.json", "cd ~ && rm $(pwd)/.cursor/hooks.json",
        // Copies and links that the line makes.
        "ln -s ../home lnk; echo > lnk/.cursor/hooks.json", "cp -l ~/.cursor/hooks.json x", "cp -s ~/.cursor/hooks.json x; echo > x", "cp -rT fake ~", "cp -r fake/. ~", "cp -rt ~ fake/.cursor", "cp --parents .cursor/hooks.json ~", "cp fake/.cursor/hooks.jso? ~/.cursor",
        "cp \"$f\" ~/.cursor/", "cp -t ~/.cursor hooks.json", "mv -t ~ fake/.cursor", "rsync -a fake/ ~",
        // Archives, work trees, patches, downloads.
        "tar cf ~/.cursor/hooks.json f", "tar --create --file={home}/.cursor/hooks.json f", "tar czf ~/.cursor/hooks.json f", "tar xf f -C$HOME/.cursor", "tar xf f --directory=$HOME/.cursor", "cd ~/.cursor && tar xf ../f.tar", "unzip f.zip -d ~/.cursor", "cd ~/.cursor && unzip ../f.zip",
        "git --work-tree=$HOME clean -fdx", "GIT_WORK_TREE={home} git checkout -f", "git -C ~ clean -fdx", "patch -d ~ -p1 < x.diff", "cd ~ && patch -p1 < x.diff", "cd ~/.cursor && curl -sO https://x/hooks.json", "curl --output-dir ~/.cursor -O https://x/hooks.json", "wget -P ~/.cursor https://x/hooks.json",
        // Lines that cannot be read.
        "((((((((((((((((((((((((((((((((((((((((((((( rm ../home/.cursor/hooks.json )))))))))))))))))))))))))))))))))))))))))))))", "$(echo rm) ../home/.cursor/hooks.json", "eval \"$(printf 'rm ../home/.cursor/hooks%s' .json)\"", "exec 9<<<'rm ../home/.cursor/hooks.json'; . /dev/fd/9",
        "mapfile -C 'rm ../home/.cursor/hooks.json #' -c 1 < f", "$(echo rm) -rf ../home/.cursor", "$X ~/guards/guard.py",
        // Interpreters.
        "node -e 'fs.rmSync(\"../home/.cursor/hooks.json\")'", "perl -e 'unlink \"../home/.cursor/hooks.json\"'", "perl -we 'unlink \"../home/.cursor/hooks.json\"'", "python3.11 -c 'import os; os.remove(\"../home/.cursor/hooks.json\")'", "python3 -Sc 'import os; os.remove(\"../home/.cursor/hooks.json\")'",
        "ruby -e 'File.delete(\"../home/.cursor/hooks.json\")'", "python3 -c 'import shutil; shutil.rmtree(\"../home/.cursor\")'", "echo ~/.cursor/hooks.json | python3 -c 'import os,sys; os.remove(sys.stdin.read().strip())'",
        // Variants of copies, searches and wrappers.
        "cp -at ~ fake/.cursor", "cp -r --target-directory=$HOME fake/.cursor", "install -D f ~/.cursor/hooks.json", "mv -T fake ~/.cursor", "ln -sfn fake ~/.config", "ln -s fake ../home/.config", "ln -s ~ h; rm -rf h/.cursor", "rsync -aR .cursor/hooks.json ~", "tar -xf f -C ~ .cursor/hooks.json", "bsdtar -xf f -C ~/.cursor",
        "cpio -i -D ~/.cursor < f", "sudo -D ../home/.cursor rm hooks.json", "python3 -c \"import pathlib; (pathlib.Path.home()/'.cursor'/'hooks.json').unlink()\"", "find ~ -name 'hooks*' -exec rm {} \\;", "find ~ -maxdepth 2 -name '*.json' -exec rm {} +", "find ../home -iname HOOKS.JSON -delete", "fd -H hooks.json ~ -x rm",
        "find ~ -not -name x -delete", "find ~/.cursor -exec yq -i '.a=1' {} \\;", "find ~/.cursor -type f -exec sort -o {} {} \\;", "find ~/.cursor -exec sh -c 'rm \"$1\"' _ {} \\;", "rm ~/.cursor/{hooks,mcp}.json", "exec > ~/.cursor/hooks.json", ": <> ~/.cursor/hooks.json", "printf '' | tee -a ~/.cursor/hooks.json", "echo ~/.cursor/hooks.json | parallel rm", "echo rm ~/.cursor/hooks.json | sh",
        "ruby -i -pe 'x' ~/.cursor/hooks.json", "busybox rm ~/.cursor/hooks.json", "\\rm ~/.cursor/hooks.json", "r''m ~/.cursor/hooks.json", "timeout 5 rm ~/.cursor/hooks.json", "read f <<< ~/.cursor/hooks.json; rm $f", "set -- ~/.cursor/hooks.json; rm $1", "a=(~/.cursor/hooks.json); rm \"${a[0]}\"",
        "f=~/.cursor/hooks.jsonx; rm ${f%x}", "(cd ~/.cursor; rm hooks.json)", "pushd ~/.cursor; rm hooks.json", "PWD=~; rm $PWD/.cursor/hooks.json", "mount --bind fake ~/.cursor",
        // Other spellings.
        "rm /proc/$$/root/{home}/.cursor/hooks.json", "mv ~/.curso[r] ../x", "rm ~/.cursor/hooks.jso[n]", "rm ../hom[e]/.cursor/hooks.json", "script -qc true ~/.cursor/hooks.json", "time -o ~/.cursor/hooks.json true", "strace -o ~/.cursor/hooks.json true",
    ];
    let missed: Vec<&str> = lines.into_iter().filter(|line| machine.shell(line).is_none()).collect();
    assert_eq!(missed, Vec::<&str>::new(), "not recognised");
}

#[test]
#[rustfmt::skip] // a table of short lines
fn agents_n5_our_own_commands_are_recognised_however_they_are_started() {
    let machine = Machine::new();
    let lines = [
        "b=$(which boathook); $b trust --yes", "~/.local/bin/b* trust --yes", "x=(boathook trust --yes); \"${x[@]}\"", "bash -c '\"$@\"' _ boathook trust --yes", "awk 'BEGIN{system(\"boathook trust --yes\")}'",
        "make -f - <<< 'all:;boathook trust --yes'", "git -c alias.x='!boathook trust --yes' x", "systemctl --user stop boathook", "systemctl --user disable --now boathook.service", "pkill boathook", "pkill -f 'boathook daemon'", "killall boathook",
        "kill $(pgrep boathook)", "pgrep boathook | xargs kill", "echo unlock | script -qfc \"$(printf 'boathook %s' unlock)\" /dev/null", "boathook agent hook claude < event.json", "~/.local/bin/boathook agent hook claude", "boathook run sessionEnd", "boathook run sessionStart",
        "chronic boathook trust --yes", "eval \"boathook $(echo trust)\"", "xargs boathook trust <<< --yes", "python3 -c 'import os; os.system(\"boathook unlock\")'", "boathook --workspace . agent hook claude", "boathook init", "boathook new --user guard", "boathook check --fix ~/.cursor/hooks.json",
        "boathook \"$(echo unlock)\"", "boathook un''lock", "nohup boathook trust --yes &", "B=boathook; $B unlock", "command boathook trust", "sh -c \"boathook trust --yes\"", "echo 'boathook trust --yes' | sh", "timeout 5 boathook unlock", "systemctl --user mask boathook", "kill -9 $(pidof boathook)",
        "tmux send-keys 'boathook unlock' Enter", "expect -c 'spawn boathook unlock'", "boathook run SESSION_END",
        "launchctl unload ~/Library/LaunchAgents/boathook.daemon.plist", "boathook $v --yes",
    ];
    let missed: Vec<&str> = lines.into_iter().filter(|line| machine.shell(line).is_none()).collect();
    assert_eq!(missed, Vec::<&str>::new(), "not recognised");
}

#[test]
#[rustfmt::skip] // a table of short lines
fn agents_n4_everyday_lines_do_not_ask() {
    let machine = Machine::new();
    let lines = [
        // Build tools and package managers.
        "cargo build", "cargo test --workspace", "cargo test -p boathook-engine --lib trust", "cargo test -p boathook trust", "cargo fmt --all", "cargo clippy -- -D warnings", "cargo add serde --features derive", "cargo run -- --help", "cargo doc --open", "cargo update -p serde",
        "npm ci", "npm run build -- --watch=false", "npm install --save-dev typescript", "npx tsc --noEmit", "npx prettier --write src", "npx eslint . --fix", "pnpm i", "yarn add left-pad", "go build ./...", "go test -run TestX ./pkg", "make -j4", "make clean && make", "cmake -B build -S .", "ninja -C build",
        "pip install -r requirements.txt", "python3 -m venv .venv", "source .venv/bin/activate && pytest", "uv run pytest -q", "poetry install", "pytest tests/test_x.py::test_y -x", "ruff check --fix .", "mypy src", "black .", "bundle install", "mvn -q package", "gradle build", "dotnet test",
        // git.
        "git status --short", "git diff HEAD~1", "git log --oneline -5", "git add -A", "git commit -m 'fix: the hooks of ~/.cursor/hooks.json'", "git commit -m \"$(cat <<'EOF'\nhooks: read ~/.cursor/hooks.json\n\nrm ~/.cursor/hooks.json is what boathook unlock allows.\nEOF\n)\"", "git checkout -b feature", "git switch main", "git pull --rebase", "git push -u origin HEAD",
        "git stash pop", "git reset --hard HEAD", "git clean -fdx", "git rebase -i HEAD~3", "git restore src/a.rs", "git -C ../other status", "git worktree add ../wt", "git show HEAD:.cursor/hooks.json", "git add .cursor/hooks.json", "git checkout -- .cursor/hooks.json", "git rm -r --cached .cursor", "git grep -n boathook",
        "gh pr create --title x --body 'about ~/.cursor/hooks.json and boathook trust'", "git clone https://x/y && cd y && npm i", "git apply x.patch", "git submodule update --init",
        // Reading.
        "cat ~/.cursor/hooks.json | jq .", "cat ~/.cursor/hooks.json | python3 -m json.tool", "cat ~/.cursor/hooks.json | python3 -c 'import json,sys; print(json.load(sys.stdin)[\"hooks\"].keys())'", "ls -la ~ ~/.cursor", "ls ~/.cursor/hooks/*.sh", "grep -rn 'deny' ~/.cursor/hooks.json .cursor/hooks.json", "grep -C 3 hooks ~/.cursor/hooks.json",
        "rg -n --pretty hooks ~/.cursor", "sed -n '1,20p' ~/.cursor/hooks.json", "sed 's/a/b/' ~/.cursor/hooks.json", "awk '{print $1}' ~/.cursor/hooks.json", "awk '$3 > 5' ~/.cursor/hooks.json", "awk -F: '{print $1}' ~/guards/guard.py | sort -u", "sort ~/.cursor/hooks.json | uniq -c", "sort -k2 -n ~/.cursor/hooks.json", "uniq ~/.cursor/hooks.json",
        "xxd ~/.cursor/hooks.json | head", "yq '.hooks' ~/.cursor/hooks.json", "jq --raw-output '.hooks | keys[]' ~/.cursor/hooks.json", "prettier --check ~/.cursor/hooks.json", "diff -u ~/.cursor/hooks.json .cursor/hooks.json", "find ~/.cursor -type f", "find ~/.cursor -name '*.json' -exec cat {} +", "find ~/.cursor -type f -exec ls -l {} \\;",
        "find . -name node_modules -prune -o -name '*.ts' -print", "find ~/.cursor -type f | wc -l", "find ~/.cursor -name '*.sh' | xargs grep deny", "ls ~/.cursor | xargs echo", "du -sh ~/.cursor ~/.local", "stat ~/.local/state/boathook", "tail -f ~/.local/state/boathook/log", "wc -l < ~/.cursor/hooks.json", "md5sum ~/.cursor/hooks.json > sums.txt",
        "file ~/.local/bin/boathook", "/usr/bin/cat ~/.cursor/hooks.json", "/bin/ls -l ~/.cursor/hooks", "less ~/.cursor/hooks.json", "test -f ~/.cursor/hooks.json && echo yes", "[ -e ~/.cursor/hooks.json ] || echo no", "if [ -d ~/.cursor ]; then ls ~/.cursor; fi", "readlink -f ~/.cursor/hooks.json", "HOOKS=$(cat ~/.cursor/hooks.json); echo \"$HOOKS\"",
        // Copies out of the protected place, archives of it.
        "cp ~/.cursor/hooks.json .cursor/hooks.json", "cp ~/.cursor/hooks.json /tmp/hooks.json", "cp ~/.cursor/hooks.json ~/backup-$(date +%F).json", "cp -r ~/.cursor /tmp/backup", "cp ~/.cursor/hooks.json \"$(mktemp -d)\"", "tar czf backup.tgz ~/.cursor", "tar -czf /tmp/b.tgz -C ~ .cursor", "rsync -a ~/.cursor/ backup/", "zip -r backup.zip src",
        // The project's own hooks.
        "echo '{\"version\": 1}' > .cursor/hooks.json", "mkdir -p .cursor/hooks && touch .cursor/hooks/a.sh", "chmod +x .cursor/hooks/*.sh", "cp .cursor/hooks.json .cursor/hooks.json.bak", "mv .cursor/hooks.json.new .cursor/hooks.json", "jq '.version=1' .cursor/hooks.json > t.json && mv t.json .cursor/hooks.json", "sed -i 's/x/y/' .cursor/hooks.json",
        "yq -i '.version=1' .cursor/hooks.json", "prettier --write .cursor/hooks.json", "python3 -c \"import json; json.load(open('.cursor/hooks.json'))\"", "node -e \"JSON.parse(require('fs').readFileSync('.cursor/hooks.json'))\"", "cat > \"$PWD/.cursor/hooks.json\" <<'EOF'\n{}\nEOF", "cat > \"$(git rev-parse --show-toplevel)/.cursor/hooks.json\" <<'EOF'\n{}\nEOF", "rm -rf .cursor/hooks",
        "tee .cursor/hooks.json < x", "vim .cursor/hooks.json", "$EDITOR .cursor/hooks.json", "cd src && cat ../.cursor/hooks.json", "perl -pi -e 's/a/b/' .cursor/hooks.json", "ln -s ../hooks .cursor/hooks", "find .cursor -name '*.tmp' -delete", "for f in .cursor/hooks/*.sh; do bash -n \"$f\"; done", "echo '{}' | tee .cursor/hooks.json",
        "boathook check .cursor/hooks.json", "boathook check --fix .cursor/hooks.json", "boathook run preToolUse < payload.json", "boathook run stop --trace", "echo '{}' | boathook run beforeShellExecution", "boathook explain preToolUse", "boathook log --json | jq .", "boathook list --json", "boathook new --project guard", "boathook test", "boathook init --project", "boathook unlock --status", "boathook unlock --help",
        // Prose and output.
        "alias ll='ls -l'", "git log --format='%h %s' -- .cursor/hooks.json", "cd ~ && ls", "cd ~/.cursor && cat hooks.json | head", "find ~ -name '*.log' -delete", "find ~/src -type d -name target -exec rm -rf {} +", "find ~ -maxdepth 1", "x=$(jq . ~/.cursor/hooks.json) && echo $x > out.json", "cat ~/.cursor/hooks.json > copy.json",
        "echo \"see ~/.cursor/hooks.json\" >> README.md", "printf '%s\\n' ~/.cursor/hooks.json >> list.txt", "cat <<EOF > README.md\nrm ~/.cursor/hooks.json\nEOF", "tee README.md <<'EOF'\nboathook trust; rm ~/.cursor/hooks.json\nEOF", "gh issue create --body \"$(cat notes.md)\"", "ls $(dirname ~/.cursor/hooks.json)",
        "rm -rf \"$(npm root)/x\"", "touch \"$(date +%s).txt\"", "tar xf x.tar -C \"$(mktemp -d)\"", "for f in $(ls .cursor/hooks); do echo $f; done", "for f in $(git diff --name-only); do prettier --write \"$f\"; done", "command -v boathook || cargo install boathook", "if ! command -v boathook; then echo no; fi",
        "cp target/release/boathook /tmp/", "cargo install --path crates/cli", "cd \"$(mktemp -d)\" && mkdir .cursor && echo '{}' > .cursor/hooks.json", "cp ~/.cursor/hooks.json \"$BACKUP\"", "cat .cursor/hooks.json | ssh host 'cat > x'",
        // Shell work.
        "cd /tmp && mkdir -p x && cd x && git init", "cd crates/a && cargo test; cd ../b && cargo test; cd ../c && cargo test", "for d in a b c; do (cd $d && npm test); done", "while read -r l; do echo \"$l\"; done < list.txt", "export PATH=\"$HOME/.local/bin:$PATH\" && which boathook", "PATH=$PATH:/opt/x/bin ls", "ps aux | grep node", "kill 1234", "kill $(lsof -ti :3000)", "pkill -f 'npm run dev'", "killall node",
        "systemctl --user status boathook", "systemctl restart nginx", "curl -sSL https://x/install.sh -o install.sh", "curl -O https://x/y.tgz", "wget https://x/y.tgz", "tar xzf y.tgz && cd y && ./configure --prefix=$HOME/.local", "unzip -o a.zip", "rm -f \"$(mktemp)\"", "rm -rf \"$TMPDIR/x\"", "rm $(git ls-files -o)", "git ls-files -z | xargs -0 rm -f", "grep -rl old src | xargs sed -i 's/old/new/g'",
        "docker run --rm -v $PWD:/w x", "docker compose up -d", "kubectl get pods", "ssh host 'ls -la'", "scp a host:/tmp", "echo $HOME", "date +%s", "sleep 1", "sed -i.bak 's/a/b/' src/x.rs", "awk 'NR>1 {print > \"out.txt\"}' in.txt", "sort -o sorted.txt in.txt", "python3 - <<'EOF'\nimport os\nprint(os.path.expanduser('~'))\nEOF", "python3 -c 'import sys; print(sys.version)'", "node -p process.version",
        "perl -ne 'print if /x/' log.txt", "ruby -e 'puts 1'", "echo done > /dev/null", "touch a b c", "ln -sf ../shared/config.json config.json", "chmod 600 ~/.ssh/id", "mkdir -p ~/bin", "time make", "script -qc 'npm test' /dev/null", "strace -o trace.txt ls", "patch -p1 < x.diff", "cp -r src/. dist/", "cp -rT src dist", "mv dist/* public/", "install -m 755 tool ~/bin/tool", "rm -rf .venv", "eval \"$(ssh-agent -s)\"",
    ];
    let asked: Vec<(&str, Touched)> = lines.into_iter().filter_map(|line| Some((line, machine.shell(line)?))).collect();
    assert!(asked.is_empty(), "{asked:#?}");
    assert!(lines.len() >= 200, "{}", lines.len());
}
