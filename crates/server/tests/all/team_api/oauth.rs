//! Login by browser, and those who would abuse it.

use boathook_engine::digest::Digest;
use boathook_server::team::api::secret::base64url;
use boathook_server::team::wire::{Role, TokenKind};
use serde_json::json;

use super::http::{Answer, Sent, quoted};
use super::world::{Holder, World};

const REDIRECT: &str = "http://127.0.0.1:4711/callback";
const NAME: &str = "<b>laptop</b>";
const VERIFIER: &str = "a-verifier-of-more-than-forty-three-characters-1234";

fn challenge() -> String {
    base64url(Digest::of(VERIFIER.as_bytes()).as_bytes())
}

fn asked(redirect: &str) -> Vec<(&'static str, String)> {
    vec![
        ("response_type", "code".into()),
        ("client_id", "boathook-cli".into()),
        ("redirect_uri", redirect.into()),
        ("code_challenge", challenge()),
        ("code_challenge_method", "S256".into()),
        ("state", "st4te".into()),
        ("device_name", NAME.into()),
    ]
}

async fn page(world: &World, redirect: &str) -> Answer {
    let pairs: Vec<String> =
        asked(redirect).iter().map(|(name, value)| format!("{name}={}", quoted(value))).collect();
    world.send(Sent::new("GET", &format!("/authorize?{}", pairs.join("&")))).await
}

/// A browser that has seen the page.
struct Browser {
    cookie: String,
    form_token: String,
}

impl Browser {
    async fn at(world: &World) -> Browser {
        let page = page(world, REDIRECT).await;
        assert_eq!(page.status, 200, "{}", page.text());
        let cookie =
            page.header("set-cookie").and_then(|text| text.split(';').next()).expect("a cookie").to_owned();
        let text = page.text();
        let (_, rest) = text.split_once("name=\"form_token\" value=\"").expect("a hidden field");
        let form_token = rest.split('"').next().expect("its value").to_owned();
        Browser { cookie, form_token }
    }

    fn form(&self, token: &str, answer: &str) -> Sent {
        let mut fields = asked(REDIRECT);
        fields.push(("form_token", self.form_token.clone()));
        fields.push(("token", token.into()));
        fields.push(("answer", answer.into()));
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Sent::new("POST", "/authorize").form(&fields)
    }

    async fn send(&self, world: &World, token: &str, answer: &str) -> Answer {
        world.send(self.form(token, answer).header("cookie", &self.cookie)).await
    }
}

async fn code(world: &World, holder: &Holder) -> String {
    let allowed = Browser::at(world).await.send(world, &holder.secret, "allow").await;
    let location = allowed.header("location").unwrap_or_else(|| panic!("{}", allowed.text())).to_owned();
    assert_eq!(allowed.status, 303);
    assert!(!location.contains(&holder.secret), "no token in an address");
    let rest = location.strip_prefix(&format!("{REDIRECT}?code=")).expect("a code");
    rest.strip_suffix("&state=st4te").expect("the state").to_owned()
}

async fn exchange(world: &World, code: &str, verifier: &str, redirect: &str) -> Answer {
    exchange_as(world, NAME, code, verifier, redirect).await
}

async fn exchange_as(world: &World, name: &str, code: &str, verifier: &str, redirect: &str) -> Answer {
    let fields = [
        ("grant_type", "authorization_code"),
        ("client_id", "boathook-cli"),
        ("code", code),
        ("code_verifier", verifier),
        ("redirect_uri", redirect),
        ("name", name),
        ("os", "Linux"),
    ];
    world.send(Sent::new("POST", "/oauth/token").form(&fields)).await
}

#[tokio::test]
async fn a_person_allows_a_program_to_log_in() {
    let world = World::new().await;
    let described = world.send(Sent::new("GET", "/.well-known/oauth-authorization-server")).await.json();
    assert_eq!(
        (&described["authorization_endpoint"], &described["token_endpoint"]),
        (&json!("/authorize"), &json!("/oauth/token"))
    );
    let member = world.holder(world.ours, TokenKind::Api, Role::Auditor).await;
    let code = code(&world, &member).await;
    let answer = exchange(&world, &code, VERIFIER, REDIRECT).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let logged_in = answer.json();
    assert_eq!(logged_in["device"]["member"], member.member.expect("a member"));
    assert_eq!(logged_in["device"]["name"], NAME, "the name that the person was shown");
    let token = logged_in["device_token"].as_str().expect("a token");
    assert_eq!(world.send(Sent::new("GET", "/api/v1/team").bearer(token)).await.json()["role"], "member");
    let again = exchange(&world, &code, VERIFIER, REDIRECT).await;
    assert_eq!(
        (again.status, again.json()["error"].as_str()),
        (400, Some("invalid_grant")),
        "a code is good once"
    );
}

#[tokio::test]
async fn the_page_is_in_no_frame_and_runs_nothing() {
    let world = World::new().await;
    let page = page(&world, REDIRECT).await;
    let policy = page.header("content-security-policy").expect("a policy");
    assert_eq!(
        policy,
        "default-src 'none'; form-action 'self' http://127.0.0.1:4711; frame-ancestors 'none'; base-uri 'none'"
    );
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
    assert_eq!(page.header("cache-control"), Some("no-store"));
    let cookie = page.header("set-cookie").expect("a cookie");
    assert!(cookie.ends_with("; Path=/authorize; Max-Age=600; HttpOnly; SameSite=Strict"), "{cookie}");
    assert!(
        page.text().contains("&lt;b&gt;laptop&lt;/b&gt;") && !page.text().contains("<b>"),
        "names are text"
    );
}

#[tokio::test]
async fn an_address_elsewhere_is_never_sent_to() {
    let world = World::new().await;
    for redirect in
        ["https://evil.example/", "http://127.0.0.1:1@evil.example/", "//evil.example", "http://localhost:1/"]
    {
        let page = page(&world, redirect).await;
        assert_eq!((page.status, page.header("location")), (400, None), "{redirect}");
        assert!(!page.text().contains("evil.example"), "it is not even shown");
    }
}

#[tokio::test]
async fn d12_a_form_of_another_page_does_nothing() {
    let world = World::new().await;
    let member = world.holder(world.ours, TokenKind::Api, Role::Member).await;
    let browser = Browser::at(&world).await;
    let form = || browser.form(&member.secret, "allow");
    let forged = Browser { cookie: browser.cookie.clone(), form_token: "x".repeat(43) };
    let cases = [
        ("no cookie", form()),
        ("another cookie", form().header("cookie", &format!("boathook-authorize={}", "A".repeat(43)))),
        ("another origin", form().header("cookie", &browser.cookie).header("origin", "https://evil.example")),
        ("no origin that can be named", form().header("cookie", &browser.cookie).header("origin", "null")),
        ("another form", forged.form(&member.secret, "allow").header("cookie", &browser.cookie)),
    ];
    for (name, sent) in cases {
        let answer = world.send(sent).await;
        assert_eq!((answer.status, answer.header("location")), (403, None), "{name}");
    }
    let denied = browser.send(&world, "", "deny").await;
    let location = denied.header("location");
    assert_eq!(location, Some("http://127.0.0.1:4711/callback?error=access_denied&state=st4te"));
}

#[tokio::test]
async fn only_the_program_that_asked_can_use_a_code() {
    let world = World::new().await;
    let member = world.holder(world.ours, TokenKind::Api, Role::Member).await;
    let refused = |answer: Answer| (answer.status, answer.json()["error"].as_str().map(str::to_owned));
    let grant = (400, Some("invalid_grant".to_owned()));

    let first = code(&world, &member).await;
    assert_eq!(refused(exchange(&world, &first, "another verifier", REDIRECT).await), grant);
    assert_eq!(
        refused(exchange(&world, &first, VERIFIER, REDIRECT).await),
        grant,
        "there is no second guess"
    );
    let second = code(&world, &member).await;
    assert_eq!(refused(exchange(&world, &second, VERIFIER, "http://127.0.0.1:4711/other").await), grant);
    let third = code(&world, &member).await;
    world.later(60_000);
    assert_eq!(
        refused(exchange(&world, &third, VERIFIER, REDIRECT).await),
        grant,
        "a code is good for a minute"
    );
    let fourth = code(&world, &member).await;
    world
        .team(world.ours)
        .remove_member(member.member.expect("a member"), world.now())
        .await
        .expect("removed");
    assert_eq!(refused(exchange(&world, &fourth, VERIFIER, REDIRECT).await), grant);
    for invented in ["", "bh_code_1_x", "bh_code_9999_x", "bh_code_x"] {
        assert_eq!(refused(exchange(&world, invented, VERIFIER, REDIRECT).await), grant, "{invented}");
    }
}

#[tokio::test]
async fn a_device_has_the_name_that_the_person_was_shown() {
    let world = World::new().await;
    let member = world.holder(world.ours, TokenKind::Api, Role::Member).await;
    let code = code(&world, &member).await;
    for name in ["build server", "", "laptop", "a\nb"] {
        let answer = exchange_as(&world, name, &code, VERIFIER, REDIRECT).await;
        assert_eq!(
            (answer.status, answer.json()["error"].as_str()),
            (400, Some("invalid_grant")),
            "{name:?}"
        );
    }
    assert!(world.team(world.ours).devices().await.expect("devices").is_empty());
    assert_eq!(exchange(&world, &code, VERIFIER, REDIRECT).await.status, 200);
}

#[tokio::test]
async fn tokens_of_people_are_taken_and_no_others() {
    let world = World::new().await;
    let sign_in = world.holder(world.ours, TokenKind::SignIn, Role::Member).await;
    code(&world, &sign_in).await;
    let used = Browser::at(&world).await.send(&world, &sign_in.secret, "allow").await;
    assert_eq!(used.status, 401, "a sign-in token is good once");
    for kind in [TokenKind::Device, TokenKind::Enrolment] {
        let holder = world.holder(world.ours, kind, Role::Member).await;
        let answer = Browser::at(&world).await.send(&world, &holder.secret, "allow").await;
        assert_eq!((answer.status, answer.header("location")), (401, None), "{kind:?}");
        assert!(!answer.text().contains(&holder.secret), "what was pasted is not shown");
    }
}
