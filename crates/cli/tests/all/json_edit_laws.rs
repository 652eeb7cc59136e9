//! Changes of JSON in its place, on texts that nobody thought of: what was
//! meant to change changes, and nothing else does.

use boathook_engine::config::{Step, add_to_list, insert_hook, json_tree, remove_at, replace_at, value_at};
use boathook_engine::event::EventKind;
use jsonc_parser::ast::Value as Node;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Space and comments as people have them between two tokens.
fn gap() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        "",
        "",
        " ",
        "\n",
        "\n  ",
        "\r\n\t",
        " /* , ] } */ ",
        " // , \" ]\n",
        "\n\n    // é\n  ",
    ])
    .prop_map(str::to_owned)
}

fn value(depth: u32) -> BoxedStrategy<String> {
    let leaf = prop::sample::select(vec![
        "1",
        "-2.5e3",
        "true",
        "null",
        "\"a, b\"",
        "\"// no\"",
        "\"\\\"]\"",
        "\"é\"",
    ]);
    let leaf = leaf.prop_map(str::to_owned);
    if depth == 0 {
        return leaf.boxed();
    }
    prop_oneof![leaf, list(depth), object(depth, vec!["a", "b", "hooks"])].boxed()
}

fn list(depth: u32) -> impl Strategy<Value = String> {
    let element = (gap(), value(depth - 1), gap())
        .prop_map(|(before, value, behind)| format!("{before}{value}{behind}"));
    (prop::collection::vec(element, 0..3), gap(), any::<bool>()).prop_map(|(elements, inside, trailing)| {
        let comma = if trailing && !elements.is_empty() { "," } else { "" };
        format!("[{}{comma}{inside}]", elements.join(","))
    })
}

fn object(depth: u32, names: Vec<&'static str>) -> impl Strategy<Value = String> {
    let values = prop::collection::vec((gap(), gap(), value(depth - 1), gap(), any::<bool>()), names.len());
    (values, gap(), any::<bool>()).prop_map(move |(values, inside, trailing)| {
        let property = |(name, (before, middle, value, behind, there)): (
            &&str,
            &(String, String, String, String, bool),
        )| { there.then(|| format!("{before}\"{name}\":{middle}{value}{behind}")) };
        let properties: Vec<String> = names.iter().zip(&values).filter_map(property).collect();
        let comma = if trailing && !properties.is_empty() { "," } else { "" };
        format!("{{{}{comma}{inside}}}", properties.join(","))
    })
}

/// Settings: some with hooks and a list, some without.
fn settings() -> impl Strategy<Value = String> {
    let hooks = (gap(), list(2), gap(), gap())
        .prop_map(|(a, list, b, c)| format!("{{{a}\"Other\":{b}[1]{c},{a}\"Stop\":{b}{list}{c}}}"));
    let with_list = (gap(), hooks, gap(), object(2, vec!["x"]))
        .prop_map(|(a, hooks, b, rest)| format!("{a}{{{b}\"model\": {rest},{a}\"hooks\":{b}{hooks}{a}}}{b}"));
    let without =
        (gap(), object(3, vec!["a", "x", "y"]), gap()).prop_map(|(a, object, b)| format!("{a}{object}{b}"));
    (prop_oneof![with_list, without], any::<bool>())
        .prop_map(|(text, mark)| if mark { format!("\u{feff}{text}") } else { text })
}

fn plain(node: &Node) -> Value {
    match node {
        Node::StringLit(text) => Value::from(text.value.to_string()),
        Node::NumberLit(number) => serde_json::from_str(number.value).expect("a number"),
        Node::BooleanLit(literal) => Value::from(literal.value),
        Node::Object(object) => {
            let fields = object.properties.iter().map(|it| (it.name.as_str().to_owned(), plain(&it.value)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Node::Array(list) => Value::Array(list.elements.iter().map(plain).collect()),
        Node::NullKeyword(_) => Value::Null,
    }
}

fn read(text: &str) -> Value {
    plain(
        &json_tree(text.trim_start_matches('\u{feff}'))
            .unwrap_or_else(|problem| panic!("{text}: {problem:?}")),
    )
}

fn comments(text: &str) -> Vec<usize> {
    [", ] } */", "// , \" ]", "// é"].iter().map(|comment| text.matches(comment).count()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_list_grows_and_shrinks_and_nothing_else_changes(text in settings()) {
        let before = read(&text);
        let added = add_to_list(&text, &["hooks", "Stop"], r#"{ "command": "new" }"#).expect("it has the form");
        let mut expected = before.clone();
        let hooks = expected.as_object_mut().expect("an object").entry("hooks").or_insert_with(|| json!({}));
        let list = hooks.as_object_mut().expect("an object").entry("Stop").or_insert_with(|| json!([]));
        let list = list.as_array_mut().expect("a list");
        list.push(json!({ "command": "new" }));
        let last = list.len() - 1;
        prop_assert_eq!(read(&added), expected.clone(), "{}", added);
        prop_assert_eq!(comments(&added), comments(&text), "{}", added);

        let path = [Step::Key("hooks"), Step::Key("Stop"), Step::Item(last)];
        let replaced = replace_at(&added, &path, "7").expect("it is there");
        prop_assert_eq!(value_at(&json_tree(replaced.trim_start_matches('\u{feff}')).expect("JSON"), &path).map(plain), Some(json!(7)));

        let removed = remove_at(&added, &path).expect("it is there");
        expected["hooks"]["Stop"].as_array_mut().expect("a list").pop();
        prop_assert_eq!(read(&removed), expected, "{}", removed);
        prop_assert_eq!(comments(&removed), comments(&text), "{}", removed);
    }

    #[test]
    fn a_hook_is_added_and_nothing_but_space_changes(text in settings()) {
        let text = text.replace("Stop", "stop");
        let added = insert_hook(&text, EventKind::Stop, r#"{ "command": "new" }"#).expect("it has the form");
        let mut expected = read(&text);
        let hooks = expected.as_object_mut().expect("an object").entry("hooks").or_insert_with(|| json!({}));
        let list = hooks.as_object_mut().expect("an object").entry("stop").or_insert_with(|| json!([]));
        list.as_array_mut().expect("a list").push(json!({ "command": "new" }));
        prop_assert_eq!(read(&added), expected, "{}", added);
        prop_assert_eq!(comments(&added), comments(&text), "{}", added);
    }

    #[test]
    fn any_of_several_can_go(text in settings(), index in 0..3_usize) {
        let mut expected = read(&text);
        let path = [Step::Key("hooks"), Step::Key("Stop"), Step::Item(index)];
        let removed = remove_at(&text, &path).expect("JSON");
        if let Some(list) = expected.get_mut("hooks").and_then(|it| it.get_mut("Stop")).and_then(Value::as_array_mut)
            && index < list.len()
        {
            list.remove(index);
        }
        prop_assert_eq!(read(&removed), expected, "{} without {} is {}", text, index, removed);
    }
}
