/**
 * Queries that print the schema of PostgreSQL as SQL. Each returns rows with one column `sql`; $1 is the
 * list of schemas. With an empty search_path, names include their schema.
 */

const inSchemas = `n.nspname = ANY ($1::text[])`

const sequenceOptions = `
  'AS ' || format_type(s.seqtypid, NULL) || ' INCREMENT ' || s.seqincrement || ' MINVALUE ' || s.seqmin ||
  ' MAXVALUE ' || s.seqmax || ' START ' || s.seqstart || ' CACHE ' || s.seqcache ||
  CASE WHEN s.seqcycle THEN ' CYCLE' ELSE '' END`

// The sequence of an identity has the type of its column.
const identityOptions = sequenceOptions.replace(/'AS '.*? \|\| ' INCREMENT '/s, "' INCREMENT '")

const columns = `
  SELECT string_agg(format('%I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
      CASE WHEN a.attcollation <> t.typcollation THEN format(' COLLATE %I.%I', cn.nspname, co.collname) END,
      CASE WHEN a.attidentity <> '' THEN
          ' GENERATED ' || CASE a.attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END ||
          ' AS IDENTITY (' ||
          (SELECT format('SEQUENCE NAME %I.%I', sn.nspname, sc.relname) || ${identityOptions}
           FROM pg_depend d JOIN pg_sequence s ON s.seqrelid = d.objid JOIN pg_class sc ON sc.oid = s.seqrelid
             JOIN pg_namespace sn ON sn.oid = sc.relnamespace
           WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'i'
             AND d.refobjid = c.oid AND d.refobjsubid = a.attnum) || ')'
        WHEN a.attgenerated <> '' THEN ' GENERATED ALWAYS AS (' || pg_get_expr(ad.adbin, c.oid) || ')' ||
          CASE a.attgenerated WHEN 's' THEN ' STORED' ELSE ' VIRTUAL' END
        WHEN ad.oid IS NOT NULL THEN ' DEFAULT ' || pg_get_expr(ad.adbin, c.oid) END,
      CASE WHEN a.attnotnull AND NOT EXISTS (SELECT FROM pg_constraint k
        WHERE k.conrelid = c.oid AND k.contype = 'n' AND k.conkey = ARRAY[a.attnum]
          AND NOT k.convalidated) THEN ' NOT NULL' END), E',\\n  ' ORDER BY a.attnum)
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_attrdef ad ON ad.adrelid = c.oid AND ad.adnum = a.attnum
    LEFT JOIN pg_collation co ON co.oid = a.attcollation
    LEFT JOIN pg_namespace cn ON cn.oid = co.collnamespace
  WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped`

/** Created before the rows: functions, sequences and tables without constraints. */
export const beforeRows: readonly string[] = [
  `SELECT format('CREATE SCHEMA IF NOT EXISTS %I', n.nspname) AS sql
   FROM pg_namespace n WHERE ${inSchemas} ORDER BY 1`,
  `SELECT pg_get_functiondef(p.oid) AS sql
   FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
   WHERE ${inSchemas} AND p.prokind IN ('f', 'p') AND NOT EXISTS (SELECT FROM pg_depend d
     WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
   ORDER BY n.nspname, p.proname, p.oid`,
  `SELECT format('CREATE SEQUENCE %I.%I ', n.nspname, c.relname) || ${sequenceOptions} AS sql
   FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE ${inSchemas} AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass
     AND d.objid = c.oid AND d.deptype = 'i') ORDER BY 1`,
  `SELECT format(E'CREATE %sTABLE %I.%I (\\n  %s\\n)%s%s',
     CASE c.relpersistence WHEN 'u' THEN 'UNLOGGED ' END, n.nspname, c.relname, (${columns}),
     CASE c.relkind WHEN 'p' THEN ' PARTITION BY ' || pg_get_partkeydef(c.oid) END, ' WITH (' || array_to_string(c.reloptions, ', ') || ')') AS sql
   FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE ${inSchemas} AND c.relkind IN ('r', 'p') ORDER BY n.nspname, c.relname`,
]

const constraints = (kinds: string) => `
  SELECT format('ALTER TABLE %I.%I ADD CONSTRAINT %I ', n.nspname, c.relname, k.conname)
    || pg_get_constraintdef(k.oid) AS sql
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE ${inSchemas} AND c.relkind IN ('r', 'p') AND k.contype IN (${kinds})
    AND (k.contype <> 'f' OR k.conparentid = 0)
  ORDER BY n.nspname, c.relname, k.contype, k.conname`

/** Created after the rows. */
export const afterRows: readonly string[] = [
  constraints(`'p', 'u', 'c', 'x'`),
  // Without the indexes of an extension: the other server may lack it, and the next start creates them.
  `SELECT replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') AS sql
   FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_class x ON x.oid = i.indexrelid
   WHERE ${inSchemas} AND i.indisvalid AND right(x.relname, 5) <> '.trgm' AND NOT EXISTS (SELECT FROM pg_constraint k
     WHERE k.conindid = i.indexrelid AND k.conrelid = i.indrelid) ORDER BY 1`,
  // Partitions have the indexes of their table already, which are used.
  `SELECT format('ALTER TABLE %s ATTACH PARTITION %I.%I %s',
     i.inhparent::regclass, n.nspname, c.relname, pg_get_expr(c.relpartbound, c.oid)) AS sql
   FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE ${inSchemas} AND c.relispartition AND c.relkind IN ('r', 'p') ORDER BY n.nspname, c.relname`,
  constraints(`'f'`),
  `SELECT pg_get_triggerdef(t.oid) AS sql FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     JOIN pg_namespace n ON n.oid = c.relnamespace 
   WHERE ${inSchemas} AND NOT t.tgisinternal AND t.tgparentid = 0 ORDER BY 1`,
  `SELECT format('ALTER SEQUENCE %I.%I OWNED BY %I.%I.%I',
     sn.nspname, s.relname, n.nspname, c.relname, a.attname) AS sql
   FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
     JOIN pg_namespace sn ON sn.oid = s.relnamespace
     JOIN pg_class c ON c.oid = d.refobjid JOIN pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
   WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
     AND d.deptype = 'a' AND ${inSchemas}
   ORDER BY 1`,
  `SELECT format('COMMENT ON %s IS %L', CASE WHEN d.objsubid = 0 THEN format('TABLE %I.%I', n.nspname, c.relname)
     ELSE format('COLUMN %I.%I.%I', n.nspname, c.relname, a.attname) END, d.description) AS sql
   FROM pg_description d JOIN pg_class c ON c.oid = d.objoid JOIN pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid
   WHERE d.classoid = 'pg_class'::regclass AND c.relkind IN ('r', 'p') AND ${inSchemas} ORDER BY 1`,
  `SELECT format('COMMENT ON SCHEMA %I IS %L', n.nspname, d.description) AS sql FROM pg_description d
     JOIN pg_namespace n ON n.oid = d.objoid WHERE d.classoid = 'pg_namespace'::regclass AND ${inSchemas} ORDER BY 1`,
]

// Views that migrations create for the previous version; a restored database does not need them.
const isForEarlierVersion = `n.nspname = 'docket'
  AND c.relname IN ('email_preference', 'delivery_preference', 'email_pace')`

/** Objects in these schemas that are not recreated; one `name` a row. */
export const leftOut = `
  SELECT format('%s %I.%I', CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
    WHEN 'f' THEN 'foreign table' ELSE 'type' END,
    n.nspname, c.relname) AS name
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE ${inSchemas} AND c.relkind IN ('v', 'm', 'f', 'c') AND NOT (${isForEarlierVersion})
  UNION ALL
  SELECT format('type %I.%I', n.nspname, t.typname)
  FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
  WHERE ${inSchemas} AND t.typtype IN ('e', 'd', 'r')
  UNION ALL
  SELECT format('policy %I of %I.%I', p.polname, n.nspname, c.relname)
  FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE ${inSchemas}
  UNION ALL
  SELECT format('rule %I of %I.%I', r.rulename, n.nspname, c.relname)
  FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE ${inSchemas} AND c.relkind IN ('r', 'p')
  ORDER BY 1`

// What is missing in them is made again.
const isMadeAgain = `n.nspname = 'docket' AND c.relname = 'thumbnail'`

/** Tables whose rows are backed up, with their columns, except generated ones. */
export const tables = `
  SELECT format('%I.%I', n.nspname, c.relname) AS sql, n.nspname AS schema, c.relname AS name,
    (SELECT json_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a
     WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND ${inSchemas} AND NOT (${isMadeAgain})
  ORDER BY n.nspname, c.relname`

/** Sequences; the value is read from each. */
export const sequences = `
  SELECT format('%I.%I', n.nspname, c.relname) AS name
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'S' AND ${inSchemas} ORDER BY 1`

/**
 * Objects outside of the schemas that would be dropped with them, one `name` a row: direct and indirect
 * dependents, without their parts. An object without a schema counts to that of its owner.
 */
export const dependents = `
  WITH RECURSIVE gone AS (
    SELECT 'pg_namespace'::regclass::oid AS classid, n.oid AS objid, 0 AS objsubid
    FROM pg_namespace n
    WHERE ${inSchemas}
    UNION
    SELECT next.* FROM gone g, LATERAL (
      SELECT d.classid, d.objid, d.objsubid FROM pg_depend d
      WHERE d.refclassid = g.classid AND d.refobjid = g.objid
        AND (g.objsubid = 0 OR d.refobjsubid = g.objsubid)
      -- A part of another object includes that object: a rule its view.
      UNION ALL SELECT d.refclassid, d.refobjid, d.refobjsubid FROM pg_depend d WHERE d.classid = g.classid
        AND d.objid = g.objid AND (g.objsubid = 0 OR d.objsubid = g.objsubid) AND d.deptype = 'i') next),
  outside AS (
    SELECT g.* FROM gone g, pg_identify_object(g.classid, g.objid, g.objsubid) own
    WHERE own.type <> 'schema' AND coalesce(own.schema, (
        SELECT coalesce(owner.schema, owner.name)
        FROM pg_depend d, pg_identify_object(d.refclassid, d.refobjid, d.refobjsubid) owner
        WHERE d.classid = g.classid AND d.objid = g.objid AND g.classid <> 'pg_publication_rel'::regclass
          AND (d.deptype IN ('a', 'i') OR owner.type = 'schema') LIMIT 1), '') <> ALL ($1::text[] || '{pg_toast}'))
  SELECT pg_describe_object(o.classid, o.objid, o.objsubid) AS name FROM outside o
  WHERE NOT EXISTS (SELECT FROM pg_depend d JOIN gone g ON g.classid = d.refclassid AND g.objid = d.refobjid
    WHERE d.classid = o.classid AND d.objid = o.objid AND d.objsubid = o.objsubid AND d.deptype = 'i')
  AND NOT EXISTS (SELECT FROM pg_depend d JOIN outside g ON g.classid = d.refclassid AND g.objid = d.refobjid
      AND g.objsubid IN (0, d.refobjsubid)
    WHERE d.classid = o.classid AND d.objid = o.objid AND d.objsubid = o.objsubid AND d.deptype = 'a')
  ORDER BY 1`
