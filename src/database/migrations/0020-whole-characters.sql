-- Contents of notifications that hold half of a surrogate pair, or NUL, which PostgreSQL reads as no text:
-- U+FFFD stands there instead. They were written by JSON.stringify, which escapes halves only: whole
-- pairs stand there as they are. A backslash that is itself escaped begins no escape.

UPDATE docket.notification
SET content = regexp_replace(
  content::text, '(?<!\\)((?:\\\\)*)\\u(?:d[89a-f][0-9a-f]{2}|0000)', '\1\\ufffd', 'g'
)::json
WHERE content::text ~ '\\u(?:d[89a-f]|0000)';
