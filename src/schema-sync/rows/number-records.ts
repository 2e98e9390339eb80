/**
 * Gives records that exist the numbers of a series that their entity has now, and raises its counters above those that
 * they have already. The comment of the column says for which format that was done.
 */
import {
  counterOf,
  type NumberedField,
  numberedIn,
  numberText,
  raiseStatement,
} from '../../database/series.ts'
import {
  bigint,
  identifier,
  raw,
  ref,
  sql,
  table,
  tableName,
  text,
  toLiteralText,
} from '../../database/sql.ts'
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'
import { type Change, during, safe } from '../diff/change.ts'
import { tagOutside } from '../diff/diff-columns.ts'
import { nameOf, type Schema, type TableStats } from '../diff/schema.ts'

/** What the comment of the column says; what else a series says makes no other counter. */
export const numberingText = ({
  field,
  series,
}: Pick<Column, 'field' | 'series'>): string | undefined =>
  series && field.type === 'string' && field.series
    ? `Numbered by Docket: ${field.series.format}, ${JSON.stringify(series.on)}, ${series.isGapFree ? 'without' : 'with'} gaps`
    : undefined

type Options = {
  readonly catalog: Catalog
  readonly timeZone: string
  readonly schema: Schema
  readonly tableStats: TableStats
}

/** The changes that follow those of columns. */
export const planSeries = (options: Options): Change[] =>
  [...options.catalog.entities.values()].flatMap((entity) => [
    ...entity.columns.flatMap((column) => endedSeries(options.schema, entity, column)),
    ...numberedIn(entity).flatMap((one) => begunSeries(options, one)),
  ])

const commentSql = (entity: Entity, { name }: Column, comment: string | null): string => {
  const literal = comment === null ? 'NULL' : `'${comment.replaceAll("'", "''")}'`
  return `COMMENT ON COLUMN ${tableName(entity.key)}.${identifier(name)} IS ${literal}`
}

const storedColumnOf = (schema: Schema, entity: Entity, { name }: Column) =>
  schema.get(entity.key)?.columns.find((one) => one.name === name)

/** People enter a field that was a series before; its values stay. */
const endedSeries = (schema: Schema, entity: Entity, column: Column): Change[] => {
  const stored = storedColumnOf(schema, entity, column)
  if (column.series || stored?.numbering === undefined) return []
  const sql = commentSql(entity, column, null)
  return [safe(sql, `${entity.key}.${column.name} is no series any more`)]
}

const begunSeries = ({ timeZone, schema, tableStats }: Options, one: NumberedField): Change[] => {
  const { entity, column, series } = one
  const wanted = numberingText(column) ?? ''
  const actual = schema.get(entity.key)
  const stored = storedColumnOf(schema, entity, column)
  const index = nameOf({ table: entity.key, columns: [column.name], kind: 'series' })
  const isIndexed = actual?.indexes.some(({ name, isValid }) => name === index && isValid)
  const isWhole = series.on !== 'create' || tableStats.nullCount(entity.key, column.name) === 0
  if (stored?.numbering === wanted && isIndexed && isWhole) return []
  const name = `${entity.key}.${column.name}`
  const marked = during('last', safe(commentSql(entity, column, wanted), `${name} is a series`))
  if (!actual) return [marked]
  return [
    {
      ...during(
        'fill',
        safe(numberSql(one, timeZone), `the series ${name} counts what records have`),
      ),
      table: entity.key,
    },
    marked,
  ]
}

const recordsAtOnce = 5_000

/**
 * A block that commits after each part, in the order in which the records were created: if it is interrupted, the next
 * one goes on with the numbers that follow.
 */
const numberSql = (one: NumberedField, timeZone: string): string => {
  const { entity, column, series } = one
  const key = sql`${text(entity.key)}, ${text(column.name)}`
  const ends = series.isGapFree ? [sql`docket.without_sequences(${key})`] : []
  const raises = [...ends, sql`(${raiseStatement(one)})`].map((call) =>
    toLiteralText(sql`PERFORM ${call};`),
  )
  const isOnCreate = series.on === 'create'
  const body = [...raises, ...(isOnCreate ? [...numbering(one, timeZone), ...raises] : [])].join(
    '\n',
  )
  const tag = tagOutside(body)
  return `DO ${tag}
DECLARE "first row" bigint; "last row" bigint;
BEGIN
${body}
END ${tag}`
}

const numbering = (
  { entity, column, series }: NumberedField,
  timeZone: string,
): readonly string[] => {
  const source = {
    timeZone,
    linkOf: (name: string) => ref(name, 't'),
    clock: raw('t._created_at'),
  }
  const { prefix, suffix } = counterOf(series, source)
  const name = ref(column.name)
  const rows = sql`
    SELECT t.id, t._created_at, ${prefix} AS prefix, ${suffix} AS suffix
    FROM ${table(entity)} t
    WHERE t.${name} IS NULL`
  const placed = sql`
    SELECT r.*,
      row_number() OVER (PARTITION BY r.prefix, r.suffix ORDER BY r._created_at, r.id) - 1 AS later
    FROM (${rows}) r`
  const number = numberText(series, {
    prefix: raw('p.prefix'),
    number: raw('n.number'),
    suffix: raw('p.suffix'),
  })
  return [
    'DROP TABLE IF EXISTS "records to number";',
    toLiteralText(sql`
      CREATE TEMP TABLE "records to number" AS
      SELECT row_number() OVER (ORDER BY p._created_at, p.id) AS place, p.id,
        ${number} AS text
      FROM (${placed}) p
      LEFT JOIN docket.series s ON s.entity_key = ${text(entity.key)} AND s.column_name = ${text(column.name)}
        AND s.prefix = p.prefix AND s.suffix = p.suffix
      CROSS JOIN LATERAL (
        SELECT coalesce(docket.peek_number(s.next, s.sequence), ${bigint(series.start)}) + p.later AS number
      ) n;`),
    'SELECT max(place) INTO "last row" FROM "records to number";',
    `FOR "first row" IN SELECT generate_series(1, "last row", ${recordsAtOnce}) LOOP
      UPDATE ${tableName(entity.key)} t SET ${identifier(column.name)} = n.text
      FROM "records to number" n
      WHERE n.place BETWEEN "first row" AND "first row" + ${recordsAtOnce - 1}
        AND t.id = n.id AND t.${identifier(column.name)} IS NULL;
      COMMIT;
    END LOOP;`,
    'DROP TABLE "records to number";',
  ]
}
