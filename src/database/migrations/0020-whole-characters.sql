-- Contents of notifications with half of a surrogate pair, or NUL, which PostgreSQL does not accept as text:
-- replaced by U+FFFD. They were written by JSON.stringify, which escapes only halves: complete
-- pairs are written as they are. An escaped backslash does not begin an escape.

UPDATE docket.notification
SET content = regexp_replace(
  content::text, '(?<!\\)((?:\\\\)*)\\u(?:d[89a-f][0-9a-f]{2}|0000)', '\1\\ufffd', 'g'
)::json
WHERE content::text ~ '\\u(?:d[89a-f]|0000)';
