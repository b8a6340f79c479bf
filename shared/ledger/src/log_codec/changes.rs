//! Binary form of changes of the log.

use std::collections::HashMap;

use crate::tree::{ByteReader, ByteWriter, DecodeError};
use crate::{LogChange, Place};
use presence_domain::ids::BusinessId;

/// Minimum number of bytes of a change: id, two versions, and which places there are.
const CHANGE_MIN_BYTES: usize = 11;

/// Maximum number of bytes of a text that later places refer to by number. Longer ones are written again, so that the changes never
/// take more memory than a small multiple of their bytes.
const SHARED_TEXT_MAX: usize = 64;

/// Bits that tell which places a change has.
const HAS_OLD: u8 = 1;
const HAS_NEW: u8 = 2;

/// Returns the binary form of consecutive changes of one lane.
pub fn encode_changes(changes: &[LogChange]) -> Vec<u8> {
    let mut writer = ByteWriter::new();
    writer.length(changes.len());
    let mut places = PlaceWriter::default();
    for change in changes {
        writer.bytes(&change.id.get().to_be_bytes());
        writer.varint(change.version);
        writer.varint(change.old_version);
        let (old, new) = (change.old.as_ref(), change.new.as_ref());
        writer.byte(old.map_or(0, |_| HAS_OLD) | new.map_or(0, |_| HAS_NEW));
        for place in [old, new].into_iter().flatten() {
            places.write(&mut writer, place);
        }
    }
    writer.finish()
}

/// Reads [`encode_changes`].
pub fn decode_changes(bytes: &[u8]) -> Result<Vec<LogChange>, DecodeError> {
    let mut reader = ByteReader::new(bytes)?;
    let length = reader.length(CHANGE_MIN_BYTES)?;
    let (mut places, mut changes) = (PlaceReader::default(), Vec::<LogChange>::with_capacity(length));
    for _ in 0..length {
        let change = read_change(&mut reader, &mut places)?;
        if changes.first().is_some_and(|first| first.id.lane() != change.id.lane()) {
            return Err(DecodeError("changes of several lanes"));
        }
        changes.push(change);
    }
    reader.finish()?;
    Ok(changes)
}

fn read_change<'a>(reader: &mut ByteReader<'a>, places: &mut PlaceReader<'a>) -> Result<LogChange, DecodeError> {
    let id = reader.review_number()?;
    let (version, old_version) = (reader.varint()?, reader.varint()?);
    let parts = reader.byte()?;
    if parts > (HAS_OLD | HAS_NEW) {
        return Err(DecodeError("a change with unknown parts"));
    }
    let mut place = |part| if parts & part == 0 { Ok(None) } else { places.read(reader).map(Some) };
    let (old, new) = (place(HAS_OLD)?, place(HAS_NEW)?);
    Ok(LogChange { id, version, old_version, old, new })
}

/// Writer of places. Seconds are differences from the place before. A text that was written is a number from then on.
#[derive(Default)]
struct PlaceWriter<'a> {
    second: i64,
    texts: HashMap<&'a str, u64>,
}

impl<'a> PlaceWriter<'a> {
    fn write(&mut self, writer: &mut ByteWriter, place: &'a Place) {
        // Differences wrap around, so that each pair of seconds has one.
        writer.signed(place.effective_at.wrapping_sub(self.second));
        self.second = place.effective_at;
        writer.byte(place.facet_key.number());
        self.write_text(writer, &place.city_key);
        self.write_text(writer, place.business_id.as_str());
    }

    /// Writes the number of a text, from 1; or 0 and the text.
    fn write_text(&mut self, writer: &mut ByteWriter, text: &'a str) {
        if let Some(number) = self.texts.get(text) {
            writer.varint(*number);
            return;
        }
        writer.varint(0);
        writer.length(text.len());
        writer.bytes(text.as_bytes());
        if text.len() <= SHARED_TEXT_MAX {
            self.texts.insert(text, self.texts.len() as u64 + 1);
        }
    }
}

/// Reader of places.
#[derive(Default)]
struct PlaceReader<'a> {
    second: i64,
    texts: Vec<&'a str>,
}

impl<'a> PlaceReader<'a> {
    fn read(&mut self, reader: &mut ByteReader<'a>) -> Result<Place, DecodeError> {
        self.second = self.second.wrapping_add(reader.signed()?);
        let facet_key = reader.facet_key()?;
        let city_key = self.read_text(reader)?.to_owned();
        let business_id = BusinessId::parse(self.read_text(reader)?).ok_or(DecodeError("no id of a business"))?;
        Ok(Place { effective_at: self.second, facet_key, city_key, business_id })
    }

    fn read_text(&mut self, reader: &mut ByteReader<'a>) -> Result<&'a str, DecodeError> {
        let number = reader.varint()?;
        if let Some(earlier) = number.checked_sub(1) {
            let earlier = usize::try_from(earlier).ok().and_then(|earlier| self.texts.get(earlier));
            return earlier.copied().ok_or(DecodeError("a text that was not there before"));
        }
        let length = reader.length(1)?;
        let text = std::str::from_utf8(reader.bytes(length)?).map_err(|_| DecodeError("a text that is not UTF-8"))?;
        if text.len() <= SHARED_TEXT_MAX {
            self.texts.push(text);
        }
        Ok(text)
    }
}
