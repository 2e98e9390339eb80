/**
 * Writes one record after the other inside one transaction, each behind a savepoint: a record that cannot be written is
 * left as it was, and the others are written.
 */
import { type Connection, type Queryable, queryShaped } from '../database/pool.ts'
import { raw } from '../database/sql.ts'
import { partOf } from '../database/transaction.ts'
import type { Entity } from '../definitions/catalog.ts'
import { type ErrorCode, errorKinds } from '../error-kinds.ts'
import { ApiError, apiError, type Issue } from '../errors.ts'
import { compileCount, compileSelect } from '../query/compile-select.ts'
import type { Criteria } from '../query/criteria/criteria.ts'
import { planSelect } from '../query/plan-select.ts'
import type { ReadContext } from '../records/read-records.ts'
import { staleRecord } from '../records/write/lock-record.ts'
import type { WriteOne } from './bulk-operations.ts'
import { maxRecords } from './bulk-request.ts'

/** Their ids, in the order of the criteria; throws bulk.too-many with their number. */
export const findTargets = async (
  database: Queryable,
  context: Omit<ReadContext, 'include'>,
  criteria: Criteria,
): Promise<readonly number[]> => {
  const page = { limit: maxRecords + 1, offset: 0 }
  const plan = planSelect({ ...context, criteria, columns: [], page })
  const rows = await queryShaped<{ id: number }>(database, compileSelect(plan, raw('t."id" AS id')))
  if (rows.length <= maxRecords) return rows.map(({ id }) => id)
  const [all] = await queryShaped<{ total: number }>(database, compileCount(plan))
  throw apiError(
    'bulk.too-many',
    `The criteria match ${all?.total} records of ${context.entity.key}; at most ${maxRecords} are written at once.`,
  )
}

export type Outcome = {
  readonly id: number
  readonly status: 'done' | 'unchanged' | 'refused'
  /** The version that the record has now; null if it was refused or removed. */
  readonly version: number | null
  readonly code: ErrorCode | null
  readonly detail: string | null
  readonly errors: readonly Issue[]
}

/** Issues of one record in the answer; a thousand records could have a hundred thousand. */
const maxIssuesShown = 5

type Run = {
  readonly ids: readonly number[]
  readonly versions: ReadonlyMap<number, number>
  /** The others could not be written when these were locked. */
  readonly lockedAhead: ReadonlySet<number>
  readonly entity: Entity
}

/** The outcome of each record, in order; errors of the database end all. */
export const runBulk = async (
  connection: Connection,
  { ids, versions, lockedAhead, entity }: Run,
  write: WriteOne,
): Promise<readonly Outcome[]> => {
  const writer = partOf(connection)
  /** One that could be written meanwhile is refused, since nothing that its conditions read is locked. */
  const refuse: WriteOne = (whole, target) =>
    whole.transact(async () => {
      await write(writer, target)
      throw staleRecord(entity, target.id)
    })
  const outcomes: Outcome[] = []
  for (const id of ids) {
    const version = versions.get(id)
    const precondition = version === undefined ? 'any' : [version]
    outcomes.push(
      await (lockedAhead.has(id) ? write : refuse)(writer, { id, precondition }).then(
        (written) => ({
          id,
          status: written.isChanged ? 'done' : 'unchanged',
          version: written.version ?? null,
          code: null,
          detail: null,
          errors: [],
        }),
        (error: unknown) => refusalOf(id, error),
      ),
    )
  }
  return outcomes
}

const refusalOf = (id: number, error: unknown): Outcome => {
  if (!(error instanceof ApiError) || errorKinds[error.code].status >= 500) throw error
  const { code, message: detail } = error
  const errors = error.errors.slice(0, maxIssuesShown)
  return { id, status: 'refused', version: null, code, detail, errors }
}
