/** Reads records: one by id, or those that criteria match with cursors and totals, as JSON text ready to send. */
import { takeWithinBudget, withinBudget, withinShare } from '../database/answer-budget.ts'
import { type Pool, type Queryable, queryOnce, queryRows, queryShaped } from '../database/pool.ts'
import { int, notDeleted, raw, sql, table } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { resolvePath } from '../definitions/association-path.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { apiError, validationError } from '../errors.ts'
import { addIssue, type Issue, shorten } from '../issues.ts'
import type { Access, RecordScope } from '../query/access.ts'
import { compileScope } from '../query/compile-scope.ts'
import { compileCount, compilePage, compileSelect } from '../query/compile-select.ts'
import { type Criteria, noCriteria } from '../query/criteria/criteria.ts'
import { criteriaLimits } from '../query/criteria/criteria-limits.ts'
import { cursorValues, printCursor } from '../query/cursor/cursor.ts'
import { planSelect } from '../query/plan-select.ts'
import { type Include, type RecordList, recordList, textsOf } from '../query/record-list.ts'
import { rowBytes } from '../query/select-budget.ts'
import type { Page, PlannedCursor, SelectPlan } from '../query/select-plan.ts'
import { compileAggregate, compileGroups } from '../query/totals.ts'
import { mayInclude, maySeeByPath } from '../query/user-visibility.ts'

/** Who reads what: the same for one record and for many. */
export type ReadContext = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly access: Access
  readonly scope: RecordScope
  readonly timeZone: string
  /** Many-to-one paths to expand, such as `supplier.country`. */
  readonly include: readonly string[]
}

export type RecordText = { readonly json: string; readonly version: number }

/** As selected: without text if the response would be too large. */
type Row = { readonly json: string | null; readonly version: number }

/** One record, or an error 404. */
export const readRecord = async (
  database: Queryable,
  context: ReadContext,
  id: number,
): Promise<RecordText> => {
  const { plan, texts } = planRead(context, byId(id), undefined)
  const json = withinShare(texts.json, texts.bytes, 1)
  const list = raw(`${json} AS json, t."_version" AS version`)
  const query = queryFor(context, noCriteria)
  const [row] = await query<Row>(database, compileSelect(plan, list))
  if (!row) throw unknownRecord(context.entity, id)
  return { json: takeWithinBudget(row.json), version: row.version }
}

/**
 * Throws an error 404 where the caller may not see the history of a record. The history of a removed record
 * is for those who may remove and restore it.
 */
export const permitHistory = async (
  database: Queryable,
  { entity, scope }: Pick<ReadContext, 'entity' | 'scope'>,
  deleteScope: RecordScope,
  id: number,
): Promise<void> => {
  const mayRead = compileScope(scope, entity.hasOwner, 't')
  const mayRemove = compileScope(deleteScope, entity.hasOwner, 't')
  const select = sql`SELECT FROM ${table(entity)} t
    WHERE t.id = ${int(id)} AND ${mayRead} AND (${notDeleted('t')} OR ${mayRemove})`
  const rows = await queryRows(database, select)
  if (rows.length === 0) throw unknownRecord(entity, id)
}

/** The error of a record that does not exist or may not be read. */
export const unknownRecord = (entity: Pick<Entity, 'key'>, id: number | string) =>
  apiError('record.unknown', `There is no ${entity.key} ${id} that you may read.`)

type FoundRecords = {
  readonly records: readonly string[]
  readonly count: Count | undefined
  readonly neighbours: Neighbours | undefined
  readonly totals: Totals | undefined
}

/** The records of one page as JSON texts, and what else the criteria ask for. */
export const searchRecords = (
  database: Queryable,
  context: ReadContext,
  criteria: Criteria,
  page: Page,
): Promise<FoundRecords> => search((read) => read(database), context, criteria, page)

// A rare word makes PostgreSQL read all records, and a user of a search box types on while waiting.
const wordsMs = 5000

/** The same for callers over HTTP: a search by words has a time limit of its own. */
export const searchWithinTime = (
  pool: Pool,
  context: ReadContext,
  criteria: Criteria,
  page: Page,
): Promise<FoundRecords> => {
  if (criteria.search.length === 0) return searchRecords(pool, context, criteria, page)
  const reader: Reader = (read) =>
    transaction(pool, async (connection) => {
      await queryOnce(connection, raw(`SET LOCAL statement_timeout = ${wordsMs}`))
      return read(connection)
    })
  return search(reader, context, criteria, page)
}

const search = async (
  reader: Reader,
  context: ReadContext,
  criteria: Criteria,
  page: Page,
): Promise<FoundRecords> => {
  const selected = criteria.turn ? { ...page, limit: page.limit + 1 } : page
  const planned = planRead(context, criteria, selected)
  const { count: counted } = criteria
  const [rows, count, totals] = await Promise.all([
    reader((database) => listRecords(database, planned, selected, queryFor(context, criteria))),
    counted === false
      ? undefined
      : reader((database) => countRecords(database, planned.plan, counted)),
    readTotals(reader, planned.plan),
  ])
  const { cursor } = planned.plan
  const turned = cursor && turnPage(rows, page, cursor)
  const records = (turned?.rows ?? rows).map(({ json }) => json)
  return { records, count, neighbours: turned?.neighbours, totals }
}

type Planned = {
  readonly plan: SelectPlan
  readonly texts: Pick<RecordList, 'json' | 'bytes'>
}

const listRecords = async (
  database: Queryable,
  { plan, texts: { json, bytes } }: Planned,
  { limit }: Page,
  query: typeof queryRows,
): Promise<PageRow[]> => {
  const place = plan.cursor ? `, ${cursorValues(plan.orderBy)} AS place` : ''
  const select = (list: string) =>
    query<{ json: string | null; place?: string }>(
      database,
      compilePage(plan, raw(`${list} AS json${place}`)),
    )
  const rows = await select(withinShare(json, bytes, limit))
  // One long row does not make the page too large: the sum of all rows decides.
  const isWhole = rows.every((row) => row.json !== null)
  const whole = isWhole ? rows : await select(withinBudget(json, bytes))
  return whole.map(({ json: text, place: at = '' }) => ({
    json: takeWithinBudget(text),
    place: at,
  }))
}

// Users have any number of sets of roles.
const dependsOnRoles = (scope: RecordScope): boolean =>
  typeof scope !== 'string' && (scope.any !== undefined || scope.shown !== undefined)

const queryFor = (
  { include, scope }: ReadContext,
  { where, search, orderBy, select, turn }: Criteria,
) =>
  where ||
  search.length > 0 ||
  select ||
  turn ||
  orderBy.length > 0 ||
  include.length > 0 ||
  dependsOnRoles(scope)
    ? queryShaped
    : queryRows

/** How many records match; with a limit at most that many, and whether there are no more. */
type Count = { readonly total: number; readonly isExact?: boolean }

const countRecords = async (
  database: Queryable,
  plan: SelectPlan,
  count: true | number,
): Promise<Count> => {
  const limit = count === true ? undefined : count
  const [row] = await queryShaped<{ total: number }>(database, compileCount(plan, limit))
  const total = row?.total ?? 0
  return limit === undefined
    ? { total }
    : { total: Math.min(total, limit), isExact: total <= limit }
}

const planRead = (
  { include, ...context }: ReadContext,
  criteria: Criteria,
  page: Page | undefined,
): Planned => {
  const includes = resolveIncludes({ ...context, include })
  if (criteria.select) {
    const columns = criteria.select.map((path, index) => ({ path, at: `$select[${index}]` }))
    const plan = planSelect({ ...context, criteria, columns, mayListVersion: true, page })
    return { plan, texts: sizedBy(plan, textsOf(plan)) }
  }
  const list = recordList({ ...context, includes })
  const plan = planSelect({ ...context, criteria, columns: list, page })
  return { plan, texts: sizedBy(plan, list) }
}

/** The values of cursors count for the size of a page. */
const sizedBy = ({ cursor, orderBy }: SelectPlan, texts: Planned['texts']): Planned['texts'] => {
  const added = cursor ? rowBytes(orderBy.map(({ ref }) => ref)) : '0'
  if (added === '0') return texts
  return { ...texts, bytes: texts.bytes === '0' ? added : `(${texts.bytes}+${added})` }
}

const byId = (id: number): Criteria => ({
  ...noCriteria,
  where: { kind: 'compare', field: 'id', operator: '$eq', value: id, at: 'id' },
})

/** Expands each association of an include path, not only the last. */
const resolveIncludes = ({
  catalog,
  entity,
  access,
  include,
}: Pick<ReadContext, 'catalog' | 'entity' | 'access' | 'include'>): Include[] => {
  const issues: Issue[] = []
  const found = new Map<string, Entity>()
  for (const path of include) {
    const names = path.split('.')
    for (let length = 1; length <= names.length; length++) {
      const part = names.slice(0, length).join('.')
      const result = resolvePath(catalog, entity, part, maySeeByPath(access))
      const target =
        'path' in result ? catalog.entities.get(result.path.column.target ?? '') : undefined
      if (!target || !mayInclude(access, target)) {
        const message =
          'message' in result
            ? result.message
            : `"${shorten(part)}" is not an association that you may read`
        addIssue(issues, { path: 'include', message })
        break
      }
      found.set(part, target)
    }
  }
  if (issues.length > 0) throw validationError('request.invalid', issues)
  return [...found].map(([path, target]) => ({ path, entity: target }))
}

/** A record as JSON text, and the values of the order in it as JSON text. */
type PageRow = { readonly json: string; readonly place: string }

/** Cursors for `$after` and `$before`; null where nothing follows. */
type Neighbours = { readonly next: string | null; readonly previous: string | null }

/** The rows in the requested order; one more row than the page has says that another page follows. */
const turnPage = (
  found: readonly PageRow[],
  { limit, offset }: Page,
  { fingerprint, values, isReversed }: PlannedCursor,
): { readonly rows: readonly PageRow[]; readonly neighbours: Neighbours } => {
  const kept = found.slice(0, limit)
  const rows = isReversed ? kept.reverse() : kept
  const print = (row: PageRow | undefined, isFollowed: boolean): string | null =>
    row && isFollowed ? printCursor(fingerprint, row.place) : null
  const ahead = found.length > limit
  const behind = values !== undefined || offset > 0
  return {
    rows,
    neighbours: {
      next: print(rows.at(-1), isReversed ? behind : ahead),
      previous: print(rows[0], isReversed ? ahead : behind),
    },
  }
}

/** JSON texts of all records together and of each group; undefined where the criteria do not ask for it. */
type Totals = {
  readonly aggregate: string | undefined
  readonly groups: readonly string[] | undefined
  /** Whether these are all groups. */
  readonly groupsAreComplete: boolean | undefined
}

type TotalsRow = { readonly json: string | null }

/** Runs what reads from the database; several run at the same time where there are several connections. */
type Reader = <T>(read: (database: Queryable) => Promise<T>) => Promise<T>

const readTotals = async (reader: Reader, plan: SelectPlan): Promise<Totals | undefined> => {
  const { aggregations, group } = plan.totals ?? {}
  if (!aggregations && !group) return undefined
  const most = criteriaLimits.groups
  const [all, groups] = await Promise.all([
    aggregations && reader((database) => queryShaped<TotalsRow>(database, compileAggregate(plan))),
    group && reader((database) => queryShaped<TotalsRow>(database, compileGroups(plan, most + 1))),
  ])
  return {
    aggregate: all?.[0] && takeWithinBudget(all[0].json),
    groups: groups?.slice(0, most).map(({ json }) => takeWithinBudget(json)),
    groupsAreComplete: groups && groups.length <= most,
  }
}
