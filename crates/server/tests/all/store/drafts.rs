//! Hooks as somebody writes them.

use boathook_server::team::store::StoreError;
use boathook_server::team::wire::HookDraft;

use super::{Place, draft};

pub async fn hooks_keep_their_order_and_every_version(place: Place) {
    let team = place.team().await;
    let one = team.add_hook(&draft("one.sh"), "a@example.com", 10).await.expect("a hook");
    let two = team.add_hook(&draft("two.sh"), "a@example.com", 11).await.expect("a hook");
    team.reorder(&[two.id, one.id]).await.expect("an order");
    let changed = HookDraft { is_active: false, matcher: None, ..draft("one.sh") };
    let put = team.put_hook(one.id, &changed, "b@example.com", 12).await.expect("a change").expect("a hook");
    assert_eq!((put.version, put.changed_at, put.changed_by.as_str()), (2, 12, "b@example.com"));
    assert_eq!(put.draft, changed);
    let ids: Vec<i64> = team.hooks().await.expect("hooks").iter().map(|hook| hook.id).collect();
    assert_eq!(ids, [two.id, one.id]);
    assert_eq!(team.hook(one.id).await.expect("a hook"), Some(put));

    assert!(team.delete_hook(one.id, "c@example.com", 13).await.expect("deleted"));
    assert!(!team.delete_hook(one.id, "c@example.com", 14).await.expect("deleted once"));
    assert_eq!(team.hook(one.id).await.expect("no hook"), None);
    assert_eq!(team.put_hook(one.id, &changed, "c@example.com", 15).await.expect("no hook"), None);
    let versions = team.versions(one.id).await.expect("versions").expect("versions");
    let told: Vec<_> = versions.iter().map(|it| (it.version, it.deleted, it.changed_by.as_str())).collect();
    assert_eq!(told, [(3, true, "c@example.com"), (2, false, "b@example.com"), (1, false, "a@example.com")]);
    assert_eq!(versions.last().map(|version| &version.draft), Some(&draft("one.sh")));
    assert_eq!(team.versions(99).await.expect("no versions"), None);
}

pub async fn an_order_names_every_hook_once(place: Place) {
    let team = place.team().await;
    team.reorder(&[]).await.expect("the order of nothing");
    for name in ["1", "2", "3"] {
        team.add_hook(&draft(name), "a", 1).await.expect("a hook");
    }
    for (what, ids) in [
        ("one is missing", vec![1, 2]),
        ("one is there twice", vec![1, 2, 2]),
        ("one is there twice beside all", vec![1, 2, 3, 3]),
        ("one is unknown", vec![1, 2, 4]),
        ("none", vec![]),
    ] {
        let refused = team.reorder(&ids).await;
        assert!(matches!(refused, Err(StoreError::Order)), "{what}: {refused:?}");
    }
    team.reorder(&[3, 1, 2]).await.expect("an order");
    let added = team.add_hook(&draft("4"), "a", 1).await.expect("a hook");
    let ids: Vec<i64> = team.hooks().await.expect("hooks").iter().map(|hook| hook.id).collect();
    assert_eq!(ids, [3, 1, 2, added.id]);
}

pub async fn numbers_are_given_out_once(place: Place) {
    let team = place.team().await;
    let one = team.add_hook(&draft("one"), "a", 1).await.expect("a hook");
    assert!(team.delete_hook(one.id, "a", 2).await.expect("deleted"));
    let two = team.add_hook(&draft("two"), "a", 3).await.expect("a hook");
    assert_ne!(one.id, two.id);
    // Several at once wait for each other instead of failing.
    let mut work = tokio::task::JoinSet::new();
    for number in 0..12 {
        let team = team.clone();
        work.spawn(async move { team.add_hook(&draft(&number.to_string()), "a", 4).await });
    }
    let added = work.join_all().await;
    let mut ids: Vec<i64> = added.into_iter().map(|hook| hook.expect("a hook").id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 12);
}

pub async fn text_comes_back_as_it_was(place: Place) {
    let team = place.team().await;
    for text in
        ["", "'; DROP TABLE hooks; --", "grüße\u{1F600}\u{202e}", "$1 ? ?1 :a @b", "\r\n\t\\", "{\"a\":1}"]
    {
        let hook = HookDraft { script_content: text.to_owned(), ..draft(text) };
        let kept = team.add_hook(&hook, text, i64::MAX).await.expect("a hook");
        let found = team.hook(kept.id).await.expect("a hook").expect("a hook");
        assert_eq!((found.draft, found.changed_by.as_str(), found.changed_at), (hook, text, i64::MAX));
    }
    // PostgreSQL has no text with a NUL: what is a script's stays, because it
    // is kept as JSON.
    let hook = HookDraft { script_content: "a\0b".to_owned(), ..draft("nul.sh") };
    let kept = team.add_hook(&hook, "a", 1).await.expect("a hook");
    assert_eq!(team.hook(kept.id).await.expect("a hook").expect("a hook").draft, hook);
}
