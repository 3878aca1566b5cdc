//! The older protocol versions, for servers that refuse a greeting in the newest of them instead of naming their own.

use rmcp::model::{ErrorCode, ErrorData, ProtocolVersion};

/// Returns the newest of our older versions that a refusal names. Servers name theirs in `data.supported`, in members of
/// their own, or in a sentence.
pub(super) fn named(refusal: &str) -> Option<ProtocolVersion> {
    [ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_03_26, ProtocolVersion::V_2024_11_05]
        .into_iter()
        .find(|version| refusal.contains(&version.to_string()))
}

/// Returns the version that a server wants that refused a greeting with this error: one that it names, or the oldest where
/// all it says is that something of the greeting is not valid.
pub(super) fn wanted(error: &ErrorData) -> Option<ProtocolVersion> {
    let data = error.data.as_ref().map(ToString::to_string).unwrap_or_default();
    named(&format!("{} {data}", error.message))
        .or_else(|| (error.code == ErrorCode::INVALID_PARAMS).then_some(ProtocolVersion::V_2024_11_05))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_version_is_found_wherever_it_is_named() {
        for (code, message, data, expected) in [
            (
                -32602,
                "Unsupported protocol version",
                json!({"supported": ["2024-11-05", "2025-03-26"]}),
                Some("2025-03-26"),
            ),
            (-32602, "Unsupported protocol version", json!({"expected": "2025-06-18"}), Some("2025-06-18")),
            (-32000, "use 2024-11-05", json!(null), Some("2024-11-05")),
            (-32602, "invalid", json!(null), Some("2024-11-05")),
            (-32022, "unsupported", json!({"supported": ["2026-07-28"]}), None),
            (-32603, "out of order", json!(null), None),
        ] {
            let error = ErrorData::new(ErrorCode(code), message, Some(data));
            assert_eq!(wanted(&error).map(|version| version.to_string()).as_deref(), expected, "{message}");
        }
    }
}
