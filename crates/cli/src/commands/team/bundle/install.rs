//! The programs that install a bundle without a question: for `sh` on Linux
//! and macOS, for PowerShell on Windows.
//!
//! They check the files, copy them, take away what an older bundle brought and
//! this one does not, and keep a list of theirs for the next time. A user's own
//! hooks.json is never overwritten.

use boathook_engine::source::Os;

use super::layout::Layout;

/// Kept in the folder of the hooks: what the bundle brought, one path a line.
const LIST: &str = "boathook-bundle.txt";

/// Its name, beside the folder.
pub fn name(layout: &Layout) -> String {
    let ending = match layout.os {
        Os::Linux | Os::Macos => "sh",
        Os::Windows => "ps1",
    };
    format!("install-{}.{ending}", layout.whose)
}

/// How it is started, from the folder of the bundle.
pub fn start(layout: &Layout) -> String {
    let name = name(layout);
    match (layout.os, layout.is_of_system()) {
        (Os::Linux | Os::Macos, true) => format!("sudo sh {}/{name}", layout.system),
        (Os::Linux | Os::Macos, false) => format!("sh {}/{name}", layout.system),
        (Os::Windows, _) => format!(r"powershell -ExecutionPolicy Bypass -File windows\{name}"),
    }
}

/// Its text.
pub fn program(layout: &Layout) -> String {
    let template = match layout.os {
        Os::Linux | Os::Macos => SH,
        Os::Windows => POWERSHELL,
    };
    let (to, guard, access) = match (layout.os, layout.is_of_system()) {
        (Os::Linux | Os::Macos, true) => ("${DESTDIR:-}/", "", SH_ACCESS),
        (Os::Linux | Os::Macos, false) => ("$HOME/", SH_GUARD, ""),
        (Os::Windows, true) => ("'C:\\'", "", POWERSHELL_ACCESS),
        (Os::Windows, false) => ("$env:USERPROFILE", POWERSHELL_GUARD, ""),
    };
    let sums = if layout.os == Os::Macos { "shasum -a 256" } else { "sha256sum" };
    // The pieces that hold other names come first.
    let pieces = [
        ("@GUARD@", guard),
        ("@ACCESS@", access),
        ("@TO@", to),
        ("@SUMS@", sums),
        ("@WHOSE@", layout.whose),
        ("@DIRECTORY@", layout.directory),
        ("@LIST@", LIST),
    ];
    pieces.iter().fold(template.to_owned(), |text, (name, value)| text.replace(name, value))
}

// Files are copied before old ones are removed: no moment is without hooks.
const SH: &str = r#"#!/bin/sh
# Installs the folder @WHOSE@ that stands beside this file. Asks nothing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
from="$here/@WHOSE@/@DIRECTORY@"
to="@TO@@DIRECTORY@"
list="$to/@LIST@"
(cd "$here/@WHOSE@" && @SUMS@ -c "../@WHOSE@.sha256" >/dev/null)
@GUARD@mkdir -p "$to"
cp -R "$from/." "$to/"
if [ -f "$list" ]; then
    while IFS= read -r name; do
        [ -e "$from/$name" ] || rm -f "$to/$name"
    done <"$list"
fi
(cd "$from" && find . -type f) >"$list"
@ACCESS@"#;

const SH_GUARD: &str = r#"if [ -e "$to/hooks.json" ] && [ ! -f "$list" ]; then
    echo "$to/hooks.json is the user's own: add the entries of $from/hooks.json to it" >&2
    exit 1
fi
"#;

const SH_ACCESS: &str = r#"chmod -R a+rX,go-w "$to"
[ -n "${DESTDIR:-}" ] || chown -R 0:0 "$to"
"#;

// Groups are named by number: their names are translated on some systems.
const POWERSHELL_ACCESS: &str = r"icacls $to /inheritance:r /grant '*S-1-5-32-544:(OI)(CI)F' '*S-1-5-18:(OI)(CI)F' '*S-1-5-32-545:(OI)(CI)RX' | Out-Null
if ($LASTEXITCODE -ne 0) { throw 'icacls failed' }
";

const POWERSHELL_GUARD: &str = r#"if ((Test-Path (Join-Path $to 'hooks.json')) -and -not (Test-Path $list)) {
    throw "$to\hooks.json is the user's own: add the entries of $from\hooks.json to it"
}
"#;

const POWERSHELL: &str = r#"# Installs the folder @WHOSE@ that stands beside this file. Asks nothing.
$ErrorActionPreference = 'Stop'
$here = Join-Path $PSScriptRoot '@WHOSE@'
$from = Join-Path $here '@DIRECTORY@'
$to = Join-Path @TO@ '@DIRECTORY@'
$list = Join-Path $to '@LIST@'
foreach ($line in Get-Content (Join-Path $PSScriptRoot '@WHOSE@.sha256')) {
    $sum, $name = $line -split '  ', 2
    if ((Get-FileHash -Algorithm SHA256 (Join-Path $here $name)).Hash -ne $sum) {
        throw "$name is not what was bundled"
    }
}
@GUARD@New-Item -ItemType Directory -Force $to | Out-Null
$old = @(if (Test-Path $list) { Get-Content $list })
Copy-Item -Path (Join-Path $from '*') -Destination $to -Recurse -Force
foreach ($name in $old) {
    if (-not (Test-Path (Join-Path $from $name))) {
        Remove-Item -Force -ErrorAction SilentlyContinue (Join-Path $to $name)
    }
}
$length = (Get-Item $from).FullName.Length + 1
Get-ChildItem -Recurse -File $from | ForEach-Object { $_.FullName.Substring($length) } | Set-Content $list
@ACCESS@"#;
