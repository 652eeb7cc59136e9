//! Runs every case of `conformance/` on the library and on the binary.
//!
//! The format is described in `conformance/README.md`. `CASE=name cargo test -p boathook --test all conformance::`
//! runs only the cases whose name contains the text.
#![cfg(unix)]

mod binary;
mod case;
mod compare;
mod layout;
mod library;
mod suite;

use std::collections::BTreeSet;

use boathook_engine::edition::Edition;
use boathook_engine::event::EVENTS;

use case::{Group, Only, read_groups};

#[test]
fn every_case_holds_on_the_binary() {
    suite::run_all(&read_groups(), Only::Binary, binary::run);
}

#[test]
fn every_case_holds_on_the_library() {
    suite::run_all(&read_groups(), Only::Library, library::run);
}

#[test]
fn the_suite_is_large_and_every_name_in_it_is_unique() {
    let groups = read_groups();
    let names: Vec<&str> = cases(&groups).map(|case| case.name.as_str()).collect();
    let unique: BTreeSet<&str> = names.iter().copied().collect();
    assert!(names.len() >= 200, "only {} cases", names.len());
    assert_eq!(unique.len(), names.len(), "two cases have the same name");
}

#[test]
fn every_event_is_covered() {
    let groups = read_groups();
    let covered: BTreeSet<&str> =
        cases(&groups).flat_map(|case| &case.steps).map(|step| step.event.as_str()).collect();
    let missing: Vec<&str> =
        EVENTS.iter().map(|spec| spec.name).filter(|name| !covered.contains(name)).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}

#[test]
fn every_answer_field_is_covered() {
    let groups = read_groups();
    let expected: BTreeSet<&str> = cases(&groups)
        .flat_map(|case| &case.steps)
        .filter_map(|step| step.expect.answer.as_ref()?.as_object())
        .flat_map(|answer| answer.keys().map(String::as_str))
        .collect();
    for field in EVENTS.iter().flat_map(|spec| spec.answers) {
        assert!(expected.contains(field.name()), "no case expects `{}`", field.name());
    }
}

#[test]
fn every_law_and_every_edition_has_its_cases() {
    let laws = (1..=19).map(|law: u32| law.to_string());
    let groups = read_groups();
    let present: BTreeSet<&str> = groups.iter().flat_map(|group| group.law_numbers()).collect();
    for law in laws.chain(["editions".to_owned()]) {
        assert!(present.contains(law.as_str()), "no group for law {law}");
    }
    for edition in Edition::ALL {
        assert!(
            cases(&groups).any(|case| case.edition == edition.name()),
            "no case in edition {}",
            edition.name()
        );
    }
}

fn cases(groups: &[Group]) -> impl Iterator<Item = &case::Case> {
    groups.iter().flat_map(|group| &group.cases)
}
