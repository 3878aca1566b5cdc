//! Products for processors with registers of 256 bits.

use std::arch::x86_64::{
    __m256i, _mm_add_epi32, _mm_extract_epi32, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_extracti128_si256,
    _mm256_hadd_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_setzero_si256,
};

/// Adds the products of a row with each of four rows that stand behind one another; rows are of whole lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn dots(row: &[i16], four: &[i16]) -> [i32; 4] {
    let (front, back) = four.split_at(2 * row.len());
    let ((a, b), (c, d)) = (front.split_at(row.len()), back.split_at(row.len()));
    let zero = _mm256_setzero_si256();
    let (mut w, mut x, mut y, mut z) = (zero, zero, zero, zero);
    let lanes = |row| <[i16]>::as_chunks::<16>(row).0;
    for ((((row, a), b), c), d) in lanes(row).iter().zip(lanes(a)).zip(lanes(b)).zip(lanes(c)).zip(lanes(d)) {
        let row = load(row);
        w = _mm256_add_epi32(w, _mm256_madd_epi16(row, load(a)));
        x = _mm256_add_epi32(x, _mm256_madd_epi16(row, load(b)));
        y = _mm256_add_epi32(y, _mm256_madd_epi16(row, load(c)));
        z = _mm256_add_epi32(z, _mm256_madd_epi16(row, load(d)));
    }
    let sums = _mm256_hadd_epi32(_mm256_hadd_epi32(w, x), _mm256_hadd_epi32(y, z));
    let sums = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    [
        _mm_extract_epi32::<0>(sums),
        _mm_extract_epi32::<1>(sums),
        _mm_extract_epi32::<2>(sums),
        _mm_extract_epi32::<3>(sums),
    ]
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(lanes: &[i16; 16]) -> __m256i {
    #[expect(unsafe_code, reason = "the array has the 32 bytes that are read, and they may stand anywhere")]
    unsafe {
        _mm256_loadu_si256(lanes.as_ptr().cast())
    }
}
