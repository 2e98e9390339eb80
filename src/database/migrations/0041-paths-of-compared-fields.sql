-- The paths that criteria and columns of saved views name, now also those of fields that a condition compares with:
-- who may not see such a field may not read the view. It accepts any JSON and never fails.
CREATE OR REPLACE FUNCTION docket.view_paths(criteria json, columns json) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  WITH RECURSIVE conditions(value) AS (
    SELECT criteria::jsonb -> '$where'
    WHERE jsonb_typeof(criteria::jsonb -> '$where') = 'object'
    UNION ALL
    SELECT inner_condition.value
    FROM conditions c
    CROSS JOIN LATERAL jsonb_each(c.value) AS entry(key, value)
    CROSS JOIN LATERAL jsonb_array_elements(
      CASE jsonb_typeof(entry.value)
        WHEN 'array' THEN entry.value
        ELSE jsonb_build_array(entry.value)
      END
    ) AS inner_condition(value)
    WHERE entry.key IN ('$and', '$or', '$not') AND jsonb_typeof(inner_condition.value) = 'object'
  ),
  compared(path, value) AS (
    SELECT entry.key, entry.value
    FROM conditions c
    CROSS JOIN LATERAL jsonb_each(c.value) AS entry(key, value)
    WHERE left(entry.key, 1) <> '$'
  ),
  operands(value) AS (
    SELECT c.value
    FROM compared c
    UNION ALL
    SELECT comparison.value
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
    SELECT c.path
    FROM compared c
    UNION
    SELECT o.value ->> '$field'
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
