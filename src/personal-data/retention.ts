/**
 * Removes or anonymises records whose time is over, as their definitions say (`retention`, docs/personal-data.md). Each record is a
 * transaction of its own, which asks again whether its time is over: several processes may do so at once, and nothing is done twice.
 */
import { setImmediate as pause } from 'node:timers/promises'
import { recordAudit } from '../audit/record-audit.ts'
import { theService } from '../auth/caller.ts'
import { isUnavailable } from '../database/database-errors.ts'
import { type Connection, execute, type Pool, queryRow, queryRows } from '../database/pool.ts'
import { allOf, anyOf, int, nothing, ref, type Sql, sql, table, texts } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import type { RetentionDefinition } from '../definitions/schemas/entity-definition.ts'
import { personalColumns } from '../definitions/values/placeholders.ts'
import { ApiError, errorText } from '../errors.ts'
import type { Observation, Observe } from '../observations.ts'
import { fullAccess } from '../query/access.ts'
import { compileConditions } from '../query/conditions/compile-conditions.ts'
import { parsedCondition } from '../query/conditions/decide-conditions.ts'
import { isHistoryOf } from '../records/history.ts'
import { updateRecord } from '../records/write/change-record.ts'
import { lockRecordOrRemoved } from '../records/write/lock-record.ts'
import { createReferenceCheck, type WriteContext } from '../records/write/write-context.ts'
import { needsOfRemoval, systemValue } from '../records/write/write-needs.ts'
import { removePartsOf } from '../tasks/remove-parts.ts'
import { needsOfForgetting, replaceValues } from './anonymise.ts'
import { removeForGood } from './purge.ts'

/** The definitions, and the zone in which days are counted. */
export type RetentionDeps = { readonly catalog: Catalog; readonly timeZone: string }

/** A rule of an entity, compiled over the record `t`. */
type Rule = {
  readonly entity: Entity
  readonly definition: RetentionDefinition
  readonly joins: Sql
  /** Its time is over, it matches the criteria, and it is not anonymised yet. */
  readonly isDue: Sql
  /** Others link to it, removed ones too. */
  readonly isLinked: Sql
}

/** What a rule would do now. */
export type RetentionPlan = {
  readonly entityKey: string
  readonly definition: RetentionDefinition
  readonly due: number
  /** How many of them stay, because other records link to them. */
  readonly linked: number
}

const rulesOf = (deps: RetentionDeps): readonly Rule[] =>
  [...deps.catalog.entities.values()].flatMap((entity) =>
    (entity.definition.retention ?? []).map((definition) => compileRule(deps, entity, definition)),
  )

const compileRule = (
  deps: RetentionDeps,
  entity: Entity,
  definition: RetentionDefinition,
): Rule => {
  const { after, of = '_created_at', where = {} } = definition
  const condition = parsedCondition({ $and: [{ [of]: { $lt: { $now: `-${after}` } } }, where] })
  const asked = { ...deps, entity, conditions: [condition], user: nothing }
  const { joins, conditions: compiled } = compileConditions(asked)
  const isOpen = definition.operation === 'anonymise' ? [isNotAnonymised(entity)] : []
  return {
    entity,
    definition,
    joins,
    isDue: allOf([...compiled, ...isOpen]),
    isLinked: definition.operation === 'remove' ? linksTo(deps, entity) : sql`false`,
  }
}

/** Personal values may have been written again since it was anonymised. */
const isNotAnonymised = (entity: Entity): Sql => {
  const personal = texts(personalColumns(entity).map(({ name }) => name))
  return sql`NOT EXISTS (
    SELECT FROM docket.history h
    WHERE ${isHistoryOf(entity, sql`t.id`)} AND h.operation = 'anonymise' AND NOT EXISTS (
      SELECT FROM docket.history l
      WHERE l.entity_key = h.entity_key AND l.entity_id = h.entity_id AND l.part_id IS NULL
        AND l.id > h.id AND l.changes::jsonb ?| ${personal}
    )
  )`
}

const linksTo = ({ catalog }: RetentionDeps, target: Entity): Sql =>
  anyOf(
    [...catalog.entities.values()].flatMap((entity) =>
      [...entity.associations.values()]
        .filter((column) => column.target === target.key)
        .map(
          ({ name }) => sql`EXISTS (
            SELECT FROM ${table(entity)} l
            WHERE ${ref(name, 'l')} = t.id${entity === target ? sql` AND l.id <> t.id` : nothing}
          )`,
        ),
    ),
  )

/** What every rule would do now, in the order of the entities; nothing is written. */
export const planRetention = async (
  pool: Pool,
  deps: RetentionDeps,
): Promise<readonly RetentionPlan[]> => {
  const plans: RetentionPlan[] = []
  for (const { entity, definition, joins, isDue, isLinked } of rulesOf(deps)) {
    const select = sql`
      SELECT count(*) AS due, count(*) FILTER (WHERE ${isLinked}) AS linked
      FROM ${table(entity)} t${joins}
      WHERE ${isDue}`
    const row = await queryRow<{ due: number; linked: number }>(pool, select)
    plans.push({ entityKey: entity.key, definition, due: 0, linked: 0, ...row })
  }
  return plans
}

/**
 * Does what the rules say, until nothing is left or it is stopped. A record to which others link goes after these, in the same run. What
 * fails is left for the next run, and thrown at the end. How many records each rule has removed or anonymised is observed.
 */
export const applyRetention = async (
  pool: Pool,
  deps: RetentionDeps,
  observe: Observe,
  stopped?: AbortSignal,
): Promise<void> => {
  const failed = new Map<string, unknown>()
  const runs = rulesOf(deps).map((rule): Run => ({ deps, rule, stopped, failed, done: 0 }))
  try {
    for (let done = -1; done !== 0; ) {
      done = 0
      for (const run of runs) done += await applyRule(pool, run)
    }
  } finally {
    for (const { rule, done } of runs) if (done > 0) observe(appliedRule(rule, done))
  }
  const [first] = failed
  if (!first) return
  const others = failed.size === 1 ? '' : `, and of ${failed.size - 1} others`
  const [record, cause] = first
  throw new Error(`The retention of ${record}${others} failed: ${errorText(cause)}`, { cause })
}

const appliedRule = ({ entity, definition }: Rule, records: number): Observation => {
  const { operation, after, of = '_created_at' } = definition
  return { kind: 'retentionApplied', entity: entity.key, operation, after, of, records }
}

type Run = {
  readonly deps: RetentionDeps
  readonly rule: Rule
  readonly stopped: AbortSignal | undefined
  readonly failed: Map<string, unknown>
  /** How many records it has removed or anonymised. */
  done: number
}

const batchSize = 100

/** Once through the records of a rule; returns how many it has removed or anonymised. */
const applyRule = async (pool: Pool, run: Run): Promise<number> => {
  const { deps, rule, stopped, failed } = run
  const { entity, joins, isDue, isLinked } = rule
  const before = run.done
  let last = 0
  for (;;) {
    const select = sql`
      SELECT t.id
      FROM ${table(entity)} t${joins}
      WHERE t.id > ${int(last)} AND ${isDue} AND NOT ${isLinked}
      ORDER BY t.id
      LIMIT ${int(batchSize)}`
    const rows = await queryRows<{ id: number }>(pool, select)
    for (const { id } of rows) {
      if (stopped?.aborted) return 0
      const name = `${entity.key} ${id}`
      if (failed.has(name)) continue
      try {
        if (await applyTo(pool, deps, rule, id)) run.done += 1
      } catch (error) {
        if (isUnavailable(error)) throw error
        failed.set(name, error)
      }
      await pause()
    }
    if (rows.length < batchSize) return run.done - before
    last = rows.at(-1)?.id ?? last
  }
}

/** False if it is not due any more, or another process was first. */
const applyTo = (pool: Pool, deps: RetentionDeps, rule: Rule, id: number): Promise<boolean> =>
  transaction(pool, async (connection) => {
    const { entity, definition } = rule
    const context = ownContext(deps, entity)
    const isRemoval = definition.operation === 'remove'
    const needs = isRemoval ? needsOfRemoval(context) : needsOfForgetting(entity)
    const target = { id, precondition: 'any' } as const
    const locked = await lockRecordOrRemoved(connection, context, target, needs).catch(goneAsNull)
    if (!locked || !(await isStillDue(connection, rule, id))) return false
    if (!isRemoval) await replaceValues(connection, context, id)
    else {
      if (!locked.isRemoved) await tellRemoval(connection, context, id)
      await removeForGood(connection, { catalog: deps.catalog, entity, id })
    }
    const { after, of = '_created_at' } = definition
    await recordAudit(connection, {
      kind: isRemoval ? 'purge' : 'anonymise',
      entityKey: entity.key,
      entityId: id,
      detail: { after, of },
    })
    return true
  })

const goneAsNull = (error: unknown): null => {
  if (error instanceof ApiError && error.code === 'record.unknown') return null
  throw error
}

const isStillDue = async (
  connection: Connection,
  { entity, definition, joins, isDue, isLinked }: Rule,
  id: number,
): Promise<boolean> => {
  // Nobody links to it any more until the end.
  if (definition.operation === 'remove')
    await execute(
      connection,
      sql`SELECT FROM ${table(entity)} t WHERE t.id = ${int(id)} FOR UPDATE`,
    )
  const select = sql`
    SELECT
    FROM ${table(entity)} t${joins}
    WHERE t.id = ${int(id)} AND ${isDue} AND NOT ${isLinked}`
  return (await queryRow(connection, select)) !== undefined
}

/** The removal as its hooks and the roll-ups of others get it. Steps that lock the record do not hold it up. */
const tellRemoval = async (
  connection: Connection,
  context: WriteContext,
  id: number,
): Promise<void> => {
  const { entity, author } = context
  const values = systemValue(entity, '_is_deleted', true)
  await updateRecord(connection, context, id, { values, operation: 'remove' })
  await removePartsOf(connection, { entityKey: entity.key, ids: [id], author })
}

/** The service writes by itself: no role decides, and nobody is named. */
const ownContext = ({ catalog, timeZone }: RetentionDeps, entity: Entity): WriteContext => {
  const access = fullAccess
  return {
    catalog,
    entity,
    timeZone,
    access,
    scope: 'all',
    changesAll: true,
    isAdministrator: true,
    roleKey: administratorRole,
    userId: 0,
    author: theService,
    references: createReferenceCheck({ catalog, access, isAdministrator: true }),
    isHidden: () => false,
    isReadOnly: () => false,
    conditions: {},
    messages: {},
  }
}
