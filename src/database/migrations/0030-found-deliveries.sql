-- Deliveries are found by their record, and by words of their address and subject.

CREATE INDEX mailing_record_idx ON docket.mailing (entity_key, entity_id, id);

-- The words of a text: letters and digits, in lower case. No dictionary takes part, so names and numbers stay as they are.
CREATE FUNCTION docket.words_of(value text) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT DISTINCT left(word, 500)
  FROM regexp_split_to_table(lower(left(value, 10000)), '[^[:alnum:]]+') word
  WHERE word <> ''
$$;

CREATE FUNCTION docket.word_vector(value text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_to_tsvector(coalesce(array_agg(word), '{}')) FROM docket.words_of(value) word
$$;

-- Matches texts in which, for each of these words, a word begins with it; null without words.
CREATE FUNCTION docket.word_query(value text) RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT string_agg('''' || word || ''':*', ' & ')::tsquery FROM docket.words_of(value) word
$$;

-- Stored, because making it takes tens of microseconds.
ALTER TABLE docket.sent_message
ADD COLUMN words tsvector GENERATED ALWAYS AS (docket.word_vector(address || ' ' || coalesce(subject, ''))) STORED;
CREATE INDEX sent_message_words_idx ON docket.sent_message USING gin (words);
