-- The paths that criteria and columns of saved views name, now also those within `$some` and `$none`: `lines.amount`, and
-- `lines.id` for a field whose records are asked for alone. It accepts any JSON and never fails.
CREATE OR REPLACE FUNCTION docket.view_paths(criteria json, columns json) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  WITH RECURSIVE conditions(start, value) AS (
    SELECT '', criteria::jsonb -> '$where'
    WHERE jsonb_typeof(criteria::jsonb -> '$where') = 'object'
    UNION ALL
    SELECT inner_condition.start, inner_condition.value
    FROM conditions c
    CROSS JOIN LATERAL jsonb_each(c.value) AS entry(key, value)
    CROSS JOIN LATERAL (
      SELECT c.start, one.value
      FROM jsonb_array_elements(
        CASE jsonb_typeof(entry.value)
          WHEN 'array' THEN entry.value
          ELSE jsonb_build_array(entry.value)
        END
      ) AS one(value)
      WHERE entry.key IN ('$and', '$or', '$not')
      UNION ALL
      SELECT c.start || entry.key || '.', many.value
      FROM jsonb_each(CASE jsonb_typeof(entry.value) WHEN 'object' THEN entry.value ELSE '{}' END) AS many(key, value)
      WHERE left(entry.key, 1) <> '$' AND many.key IN ('$some', '$none')
    ) AS inner_condition(start, value)
    WHERE jsonb_typeof(inner_condition.value) = 'object'
  ),
  compared(start, path, value) AS (
    SELECT c.start, entry.key, entry.value
    FROM conditions c
    CROSS JOIN LATERAL jsonb_each(c.value) AS entry(key, value)
    WHERE left(entry.key, 1) <> '$'
      AND NOT (jsonb_typeof(entry.value) = 'object' AND entry.value ?| ARRAY['$some', '$none'])
  ),
  operands(start, value) AS (
    SELECT c.start, c.value
    FROM compared c
    UNION ALL
    SELECT c.start, comparison.value
    FROM compared c
    CROSS JOIN LATERAL jsonb_each(
      CASE jsonb_typeof(c.value) WHEN 'object' THEN c.value ELSE '{}' END
    ) AS comparison(operator, value)
    WHERE comparison.operator IN ('$eq', '$ne', '$gt', '$gte', '$lt', '$lte')
  ),
  listed(value) AS (
    SELECT criteria::jsonb -> '$orderBy'
    UNION ALL
    SELECT columns::jsonb
  ),
  paths(path) AS (
    SELECT c.start || c.path
    FROM compared c
    UNION
    SELECT c.start || 'id'
    FROM conditions c
    WHERE c.start <> ''
    UNION
    SELECT o.start || (o.value ->> '$field')
    FROM operands o
    WHERE jsonb_typeof(o.value) = 'object' AND jsonb_typeof(o.value -> '$field') = 'string'
    UNION
    SELECT regexp_replace(element #>> '{}', '^[-+]', '')
    FROM listed l
    CROSS JOIN LATERAL jsonb_array_elements(
      CASE jsonb_typeof(l.value) WHEN 'array' THEN l.value ELSE '[]' END
    ) AS element
  )
  SELECT coalesce(array_agg(path) FILTER (WHERE path IS NOT NULL), '{}') FROM paths
$$;
