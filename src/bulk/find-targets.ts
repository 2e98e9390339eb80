/** The records of a bulk write: those that its criteria match. */
import { type Queryable, queryShaped } from '../database/pool.ts'
import { raw } from '../database/sql.ts'
import { apiError } from '../errors.ts'
import { compileCount, compileSelect } from '../query/compile-select.ts'
import type { Criteria } from '../query/criteria/criteria.ts'
import { planSelect } from '../query/plan-select.ts'
import type { ReadContext } from '../records/read-records.ts'
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
