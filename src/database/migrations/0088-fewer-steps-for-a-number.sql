-- A number with gaps by one expression: each further one costs time in every transaction. The pattern writes the number as
-- `lpad` did, with all its digits where they are more than those of the series.
CREATE OR REPLACE FUNCTION docket.next_with_gaps(
  entity text, field text, before text, after text, first bigint, digits integer
) RETURNS text LANGUAGE plpgsql STRICT AS $$
BEGIN
  RETURN coalesce(
    before || to_char(
      nextval(to_regclass('docket.series_' || md5(concat_ws(E'\n', entity, field, before, after)))),
      'FM' || repeat('9', 19 - digits) || repeat('0', digits)
    ) || after,
    docket.next_number(entity, field, before, after, first, digits, false)
  );
END $$;
