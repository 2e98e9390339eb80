-- A number with gaps is an expression, which PostgreSQL puts in place of the call where the arguments are no queries: a call costs
-- time in every transaction. Sequences have the names that they had.
CREATE OR REPLACE FUNCTION docket.next_with_gaps(
  entity text, field text, before text, after text, first bigint, digits integer
) RETURNS text LANGUAGE sql AS $$
  SELECT coalesce(
    before || to_char(
      -- Constants stand together, so that they are joined when the statement is planned.
      nextval(to_regclass(
        'docket.series_' || md5(entity || E'\n' || field || E'\n' || before || (E'\n' || after))
      )),
      'FM' || repeat('9', 19 - digits) || repeat('0', digits)
    ) || after,
    docket.next_number(entity, field, before, after, first, digits, false)
  )
$$;
