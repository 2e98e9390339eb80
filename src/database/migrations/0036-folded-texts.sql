-- Texts in lower case without the accents of Latin letters, for indexes of texts that are found by words. What is ASCII alone,
-- as most texts are, takes no more than to ask.

CREATE FUNCTION docket.folded(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN octet_length(value) = length(value) THEN lower(value)
  ELSE replace(replace(replace(lower(translate(
    regexp_replace(normalize(value, NFD), U&'[\0300-\036F]+', '', 'g'),
    'ØøĐđŁłıẞ', 'OoDdLliß')), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe')
END;
