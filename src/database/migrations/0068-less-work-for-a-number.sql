-- Numbers with less work: each expression of a function costs time in every transaction.

-- Without gaps, and of a counter with gaps that is used first. As before: the transaction holds the counter until it ends.
CREATE OR REPLACE FUNCTION docket.next_number(
  entity text, field text, before text, after text, first bigint, digits integer, gap_free boolean
) RETURNS text LANGUAGE plpgsql STRICT AS $$
DECLARE
  number bigint;
  name text;
  counter record;
BEGIN
  IF gap_free THEN
    UPDATE docket.series s SET next = s.next + 1
    WHERE s.entity_key = entity AND s.column_name = field AND s.prefix = before AND s.suffix = after
    RETURNING s.next - 1 INTO number;
    IF number IS NULL THEN
      INSERT INTO docket.series AS s (entity_key, column_name, prefix, suffix, next)
      VALUES (entity, field, before, after, first + 1)
      ON CONFLICT (entity_key, column_name, prefix, suffix) DO UPDATE SET next = s.next + 1
      RETURNING s.next - 1 INTO number;
    END IF;
  ELSE
    name := 'series_' || md5(concat_ws(E'\n', entity, field, before, after));
    IF to_regclass('docket.' || name) IS NULL THEN
      INSERT INTO docket.series AS s (entity_key, column_name, prefix, suffix, next)
      VALUES (entity, field, before, after, first)
      ON CONFLICT (entity_key, column_name, prefix, suffix) DO UPDATE SET next = s.next
      RETURNING s.id, s.sequence INTO counter;
      IF counter.sequence IS DISTINCT FROM name THEN
        PERFORM docket.make_sequence(counter.id, name);
      END IF;
    END IF;
    number := nextval('docket.' || name);
  END IF;
  RETURN before || lpad(number::text, greatest(digits, length(number::text)), '0') || after;
END $$;

-- With gaps, whose sequence is found by its name.
CREATE FUNCTION docket.next_with_gaps(
  entity text, field text, before text, after text, first bigint, digits integer
) RETURNS text LANGUAGE plpgsql STRICT AS $$
DECLARE
  number bigint := nextval(
    to_regclass('docket.series_' || md5(concat_ws(E'\n', entity, field, before, after)))
  );
BEGIN
  IF number IS NULL THEN
    RETURN docket.next_number(entity, field, before, after, first, digits, false);
  END IF;
  RETURN before || lpad(number::text, greatest(digits, length(number::text)), '0') || after;
END $$;
