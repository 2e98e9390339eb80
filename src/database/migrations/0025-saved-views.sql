-- Who may read a saved view: it is checked when it is read, because definitions and roles change. Both
-- functions accept any JSON and never fail.

-- The paths that criteria and columns name.
CREATE FUNCTION docket.view_paths(criteria json, columns json) RETURNS text[]
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
  listed(value) AS (
    SELECT criteria::jsonb -> '$orderBy'
    UNION ALL
    SELECT columns::jsonb
  ),
  paths(path) AS (
    SELECT name
    FROM conditions c
    CROSS JOIN LATERAL jsonb_object_keys(c.value) AS name
    WHERE left(name, 1) <> '$'
    UNION
    SELECT regexp_replace(element #>> '{}', '^[-+]', '')
    FROM listed l
    CROSS JOIN LATERAL jsonb_array_elements(
      CASE jsonb_typeof(l.value) WHEN 'array' THEN l.value ELSE '[]' END
    ) AS element
  )
  SELECT coalesce(array_agg(path), '{}') FROM paths
$$;

-- Whether a reader may see every path. `sight` has the names that the reader may see, by entity: the key of
-- the linked entity for an association, null for any other field.
CREATE FUNCTION docket.sees_paths(paths text[], entity_key text, sight jsonb) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
  path text;
  name text;
  place text;
BEGIN
  IF NOT coalesce(sight ? entity_key, false) THEN
    RETURN false;
  END IF;
  FOREACH path IN ARRAY paths LOOP
    place := entity_key;
    FOREACH name IN ARRAY string_to_array(path, '.') LOOP
      IF NOT coalesce(sight -> place ? name, false) THEN
        RETURN false;
      END IF;
      place := sight -> place ->> name;
    END LOOP;
  END LOOP;
  RETURN true;
END
$$;
