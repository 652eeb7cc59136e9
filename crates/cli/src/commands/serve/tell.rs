//! What an operator reads when the server begins.

use boathook_server::team::serve::{Invitation, Started};

use crate::ui::Ui;

/// Where it answers; at the first start how its owner comes in.
pub fn started(ui: &mut Ui, started: &Started) {
    if let Some(address) = started.metrics {
        ui.line(&format!("metrics http://{address}/metrics"));
    }
    let ca = started.authority.as_ref().map(|file| file.display().to_string());
    if let Some(file) = &ca {
        ui.line(&format!("authority {file}"));
    }
    if let Some(invitation) = &started.invitation {
        invited(ui, invitation, &started.url, ca.as_deref());
    }
    for note in &started.notes {
        ui.warning(note);
    }
    // Last: whoever waits for this line has read all of them.
    ui.line(&format!("serving {}", started.url));
}

/// What somebody types with a token that is shown once.
pub fn invited(ui: &mut Ui, invitation: &Invitation, url: &str, ca: Option<&str>) {
    let Invitation { team, email, token, fingerprint } = invitation;
    let ca = ca.map(|file| format!(" --ca {file}")).unwrap_or_default();
    ui.line(&format!("team {team}, owner {email}"));
    ui.line(&format!("fingerprint {fingerprint}"));
    ui.line(&format!("sign-in token {token}"));
    ui.line(
        "The token is shown this once, and is good for one of these within a week; they ask for it, since",
    );
    ui.line("others on the machine see what stands in a command:");
    ui.line(&format!("  boathook team admin login {url} --token -{ca}"));
    ui.line(&format!("  boathook team login {url} --token - --fingerprint {fingerprint}{ca}"));
}
