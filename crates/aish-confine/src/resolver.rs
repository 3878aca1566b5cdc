//! A resolver that knows no name: it answers every question at once, so that nothing waits, and tells what was asked.

/// Longest packet that is answered, in bytes; a question fits in 512.
pub(crate) const LONGEST: usize = 512;

/// Bytes of a packet's header (RFC 1035, 4.1.1).
const HEADER: usize = 12;

/// Returns the answer "no such name" (RFC 1035, RCODE 3) and the name that was asked for, in printable ASCII.
///
/// Nothing is answered to what is no question of one name.
pub(crate) fn answer(question: &[u8]) -> Option<(Vec<u8>, String)> {
    let header = question.get(..HEADER)?;
    let is_query = header.get(2)? & 0x80 == 0;
    let one = header.get(4..6)? == [0, 1];
    if !is_query || !one {
        return None;
    }
    let mut name = String::new();
    let mut at = HEADER;
    loop {
        let length = usize::from(*question.get(at)?);
        at += 1;
        match length {
            0 => break,
            1..=63 => {
                let label = question.get(at..at + length)?;
                if !name.is_empty() {
                    name.push('.');
                }
                name.extend(label.iter().map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { '?' }));
                at += length;
            }
            _ => return None,
        }
        if name.len() > 255 {
            return None;
        }
    }
    // The question goes back without its additional records: type and class follow the name.
    let asked = question.get(HEADER..at + 4)?;
    let mut reply = header.get(..2)?.to_vec();
    let recursion = header.get(2)? & 0x79;
    reply.extend([0x80 | recursion, 0x83, 0, 1, 0, 0, 0, 0, 0, 0]);
    reply.extend_from_slice(asked);
    Some((reply, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(labels: &[&[u8]]) -> Vec<u8> {
        let mut packet = vec![0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1];
        for label in labels {
            packet.push(u8::try_from(label.len()).unwrap());
            packet.extend_from_slice(label);
        }
        packet.extend([0, 0, 1, 0, 1]);
        packet
    }

    #[test]
    fn every_name_is_unknown_and_told() {
        let (reply, name) = answer(&question(&[b"registry", b"npmjs", b"org"])).unwrap();
        assert_eq!(name, "registry.npmjs.org");
        assert_eq!(&reply[..4], [0xab, 0xcd, 0x81, 0x83]);
        assert_eq!(&reply[4..12], [0, 1, 0, 0, 0, 0, 0, 0]);
        assert!(reply.ends_with(&[3, b'o', b'r', b'g', 0, 0, 1, 0, 1]));
        assert_eq!(answer(&question(&[b"\x1b[31m", b"x"])).unwrap().1, "?[31m.x");
    }

    #[test]
    fn what_is_no_question_is_not_answered() {
        for length in 0..20 {
            assert_eq!(answer(&question(&[b"example"])[..length]), None);
        }
        let mut reply = question(&[b"a"]);
        reply[2] |= 0x80;
        assert_eq!(answer(&reply), None);
        let mut pointer = question(&[b"a"]);
        pointer[HEADER] = 0xc0;
        assert_eq!(answer(&pointer), None);
        let label = [b'a'; 63];
        assert_eq!(answer(&question(&[&label[..]; 5])), None);
    }
}
