//! Mail of the template: feedback of SES, the records for the DNS, and the recipients of a sandbox.

use serde_json::{Value, json};

use super::fixture::events;
use super::template::TEMPLATE;

/// True if an event matches a pattern of `EventBridge` that has lists of texts only.
fn matches(pattern: &Value, event: &Value) -> bool {
    match (pattern, event) {
        (Value::Object(fields), _) => fields.iter().all(|(name, wanted)| matches(wanted, &event[name])),
        (Value::Array(_), Value::Array(values)) => values.iter().any(|value| matches(pattern, value)),
        (Value::Array(wanted), value) => wanted.contains(value),
        _ => false,
    }
}

#[test]
fn bounces_and_complaints_of_this_configuration_set_come_to_the_mailer() {
    let rule = &TEMPLATE.resource("MailerFunction").property("Events")["Feedback"];
    assert_eq!(rule["Type"], "EventBridgeRule");
    let mut pattern = rule["Properties"]["Pattern"].clone();
    let set = &mut pattern["detail"]["mail"]["tags"]["ses:configuration-set"];
    assert_eq!(*set, json!([{ "Ref": "MailConfiguration" }]));
    // The configuration set has the name of the stack, which is that of the events.
    *set = json!(["presence"]);
    let mut feedback = 0;
    for event in events().iter().filter(|event| event.function == "mailer") {
        let is_feedback = event.name.starts_with("feedback");
        assert_eq!(matches(&pattern, &event.document), is_feedback, "{}", event.name);
        feedback += u32::from(is_feedback);
    }
    assert!(feedback > 0);

    let published = TEMPLATE.resource("MailFeedback").property("EventDestination");
    let bus = published["EventBridgeDestination"]["EventBusArn"]["Fn::Sub"].as_str().expect("an ARN");
    assert!(bus.ends_with(":event-bus/default"), "SES publishes to no other bus: {bus}");
}

#[test]
fn each_place_in_the_list_of_sandbox_recipients_is_one_identity() {
    for place in 0..5 {
        let recipient = TEMPLATE.resource(&format!("Recipient{}", place + 1));
        assert_eq!(recipient.kind(), "AWS::SES::EmailIdentity");
        let address = recipient.property("EmailIdentity");
        assert_eq!(address["Fn::Select"][0], place);
        // Empty places at the end keep Fn::Select within the list.
        let list = address["Fn::Select"][1]["Fn::Split"][1]["Fn::Sub"].as_str().expect("a list");
        assert_eq!(list, "${SandboxRecipients},,,,");
        let condition = TEMPLATE.at(&["Conditions", &format!("HasRecipient{}", place + 1), "Fn::Not"]);
        assert_eq!(condition[0]["Fn::Equals"], json!([address, ""]));
    }
}
