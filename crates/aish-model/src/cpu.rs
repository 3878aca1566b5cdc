//! Whether this processor can run the code that llama.cpp was compiled to.

/// Returns the instruction sets that are needed and missing here, by their common names.
#[cfg(target_arch = "x86_64")]
pub(crate) fn missing_features() -> Vec<&'static str> {
    // What ggml turns on for x86-64 when it is not built for the very machine (GGML_NATIVE=OFF).
    let needed = [
        ("SSE4.2", is_x86_feature_detected!("sse4.2")),
        ("AVX", is_x86_feature_detected!("avx")),
        ("AVX2", is_x86_feature_detected!("avx2")),
        ("BMI2", is_x86_feature_detected!("bmi2")),
        ("F16C", is_x86_feature_detected!("f16c")),
        ("FMA", is_x86_feature_detected!("fma")),
    ];
    needed.into_iter().filter(|(_, there)| !there).map(|(name, _)| name).collect()
}

/// Returns the instruction sets that are needed and missing here; other processors run the baseline code.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn missing_features() -> Vec<&'static str> {
    Vec::new()
}
