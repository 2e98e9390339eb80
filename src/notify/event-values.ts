/** What is read of events: the fields that templates name, the rows as changes found or left them, and what comments say. */
import type { Values } from '../auth/readable-values.ts'
import { filesIn } from '../comments/comment-files.ts'
import { largestId, mentionsIn } from '../comments/mentions.ts'
import { type Queryable, queryRows } from '../database/pool.ts'
import { bound, ints, notDeleted, raw, type Sql, sql, table } from '../database/sql.ts'
import { resolvePath } from '../definitions/association-path.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { isSameSchedule, scheduleOf } from '../definitions/date-rules.ts'
import type { KnownEvent } from '../definitions/notification-rules.ts'
import { isObject } from '../definitions/values/check-value.ts'
import { displayPath, linkOf } from '../outbox/events/printable-record.ts'
import { fullAccess } from '../query/access.ts'
import { compileSelect } from '../query/compile-select.ts'
import { type Condition, noCriteria } from '../query/criteria/criteria.ts'
import { planSelect } from '../query/plan-select.ts'
import { jsonValue } from '../query/record-json.ts'
import type { ChangeMessage } from '../records/write/change-events.ts'
import { builtInTexts } from '../templates/built-in-texts.ts'
import type { LiquidTemplate } from '../templates/liquid-template.ts'

/** The paths below a variable (`record`, `actor`, `recipient`) that templates read. */
export const pathsOf = (
  catalog: Catalog,
  start: Entity,
  root: string,
  templates: readonly LiquidTemplate[],
): string[] => {
  const paths = new Set<string>()
  for (const { names } of templates)
    for (const { segments } of names) {
      const [first, ...rest] = segments
      if (first !== root) continue
      const path = columnPath(catalog, start, rest.map(String))
      paths.add(path)
      const display = displayBelow(catalog, start, path)
      if (display !== undefined) paths.add(display)
    }
  return [...paths]
}

/** What is printed if a path ends at an association. */
const displayBelow = (catalog: Catalog, start: Entity, path: string): string | undefined => {
  const result = resolvePath(catalog, start, path)
  const key = path.split('.').at(-1) ?? ''
  if (!('path' in result) || result.path.entity.associations.get(key) !== result.path.column)
    return undefined
  const display = displayPath(catalog, result.path.entity, key)
  return display && path.slice(0, path.length - key.length) + display
}

/** The part of a path that is a column: what follows is inside its JSON. */
const columnPath = (catalog: Catalog, start: Entity, names: readonly string[]): string => {
  for (let length = 1; length < names.length; length++) {
    const path = names.slice(0, length).join('.')
    const result = resolvePath(catalog, start, path)
    if ('path' in result && result.path.column.type.isStructured) return path
  }
  return names.join('.')
}

type Loading = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly where: Condition
  readonly paths: readonly string[]
  readonly timeZone: string
  /** Rows that stand for those of the table. */
  readonly source?: Sql | undefined
}

/** Values by path, one map per record, in the order of their ids; everything is visible here. */
export const loadPaths = async (
  database: Queryable,
  { catalog, entity, where, paths, timeZone, source }: Loading,
): Promise<Values[]> => {
  const columns = [...new Set(paths)].map((path) => ({ path, at: path }))
  const criteria = { ...noCriteria, where }
  const all = { catalog, entity, access: fullAccess, scope: 'all' as const, page: undefined }
  const plan = planSelect({ ...all, criteria, columns, timeZone })
  const list = plan.columns.map(({ ref }, index) => `${jsonValue(ref)} AS c${index}`)
  const select = compileSelect(plan, raw(list.join(', ')), source)
  const rows = await queryRows<Record<string, string>>(database, select)
  return rows.map(
    (row) =>
      new Map(
        plan.columns.map(({ path }, index) => [path, JSON.parse(row[`c${index}`] ?? 'null')]),
      ),
  )
}

/** The condition for records of these ids. */
export const idIn = (ids: readonly number[]): Condition => ({
  kind: 'compare',
  field: 'id',
  operator: '$in',
  value: [...new Set(ids)],
  at: 'id',
})

/** Loaded records by their ids. */
export const byId = (found: readonly Values[]): ReadonlyMap<unknown, Values> =>
  new Map(found.map((values) => [values.get('id'), values]))

/**
 * `supplier.name` as `name` inside `supplier`, as templates name it. An association is null if the record
 * links to nothing, so that `{% if record.supplier %}` is true only if there is a link.
 */
export const nest = (values: ReadonlyMap<string, unknown>): Record<string, unknown> => {
  const nested: Record<string, unknown> = {}
  // The shorter paths first: an association is placed before the fields of its record.
  for (const path of [...values.keys()].sort((a, b) => a.length - b.length))
    place(nested, path.split('.'), values.get(path))
  return nested
}

const place = (
  into: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): void => {
  if (rest.length === 0) into[name] = value
  else {
    const existing = into[name]
    const inner = isObject(existing) ? existing : linked(existing)
    into[name] = inner
    if (inner) place(inner, rest, value)
  }
}

const linked = (id: unknown): Record<string, unknown> | null => (id === null ? null : linkOf(id))

export type SaidNow = {
  readonly text: string
  /** The names of its files. */
  readonly files: readonly string[]
  readonly isInternal: boolean
  /** Of the users whom it mentions, by id. */
  readonly names: Readonly<Record<string, string>>
}

/** What a notification says of it, in a language: its text, and below that the names of its files. */
export const toldText = ({ text, files }: SaidNow, locale: string | undefined): string =>
  files.length === 0
    ? text
    : `${text}\n\n${builtInTexts(locale).filesOfComment} ${files.join(', ')}`

type Row = {
  readonly id: number
  readonly text: string
  readonly files: string | null
  readonly is_internal: boolean
}

/** Reads the comments of messages; those that were removed are left out. */
export const readSaid = async (
  database: Queryable,
  messages: readonly ChangeMessage[],
): Promise<(message: ChangeMessage) => SaidNow | undefined> => {
  const ids = messages.flatMap(({ said }) => said?.comment_id ?? [])
  const rows =
    ids.length === 0
      ? []
      : await queryRows<Row>(
          database,
          sql`
SELECT t.id, t.text, t.files, t.is_internal
FROM ${table('comment')} t
WHERE t.id = ANY (${ints(ids)}) AND ${notDeleted('t')}`,
        )
  const known = new Map(rows.map((row) => [row.id, row]))
  const textOf = ({ said }: ChangeMessage) =>
    said?.comment_id
      ? known.get(said.comment_id)
      : said && { text: '', files: null, is_internal: false, ...said }
  const names = await namesIn(
    database,
    messages.map((one) => textOf(one)?.text ?? ''),
  )
  return (message) => {
    const found = textOf(message)
    if (!found) return undefined
    const files = filesIn(found.files).map(({ filename }) => filename)
    return { text: found.text, files, isInternal: found.is_internal, names }
  }
}

/** The names of all users whom texts mention. */
const namesIn = async (
  database: Queryable,
  texts: readonly string[],
): Promise<Readonly<Record<string, string>>> => {
  const ids = new Set(texts.flatMap(mentionsIn).filter((id) => id <= largestId))
  if (ids.size === 0) return {}
  const rows = await queryRows<{ readonly id: number; readonly full_name: string | null }>(
    database,
    sql`SELECT u.id, u.full_name FROM ${table('user')} u WHERE u.id = ANY (${ints([...ids])})`,
  )
  return Object.fromEntries(rows.map(({ id, full_name: name }) => [id, name ?? '…']))
}

/** A row source with one row for each message; there is only one message for a record. */
export const rowsOfChanges = (
  entity: Entity,
  messages: readonly ChangeMessage[],
  side: 'before' | 'after',
): Sql => {
  const values = messages.map(({ changes = {} }) =>
    JSON.stringify(
      Object.fromEntries(
        Object.entries(changes).flatMap(([name, change]) =>
          // A field that is not there any more has no column.
          entity.columnsByName.has(name) ? [[name, change[side] ?? null]] : [],
        ),
      ),
    ),
  )
  return sql`(
  SELECT changed.*
  FROM ${table(entity)} stored
  JOIN unnest(${ints(messages.map(({ entity_id: id }) => id))}, ${bound(values, 'jsonb[]')}) AS given (id, vals)
    ON given.id = stored.id
  CROSS JOIN LATERAL jsonb_populate_record(stored, given.vals) AS changed
)`
}

/** What is known of an event, by which rules apply to it. */
export const knownOf = (entity: Entity, { changes, due }: ChangeMessage): KnownEvent => ({
  changed: changes && keysOf(entity, Object.keys(changes)),
  isDue: due && ((rule) => isSameSchedule(scheduleOf(entity, rule), due)),
})

/** The keys of the fields of columns. */
export const keysOf = (entity: Entity, columns: readonly string[]): readonly string[] =>
  columns.map((name) => entity.columnsByName.get(name)?.field.key ?? name)
