/** Reads the totals of all records that match criteria, as JSON texts ready to send. */
import { takeWithinBudget } from '../database/answer-budget.ts'
import { type Queryable, queryShaped } from '../database/pool.ts'
import { criteriaLimits } from '../query/criteria/criteria-limits.ts'
import type { SelectPlan } from '../query/select-plan.ts'
import { compileAggregate, compileGroups } from '../query/totals/compile-totals.ts'

/** JSON texts of all records together and of each group; undefined where the criteria do not ask for it. */
export type Totals = {
  readonly aggregate: string | undefined
  readonly groups: readonly string[] | undefined
  /** Whether these are all groups. */
  readonly groupsAreComplete: boolean | undefined
}

type Row = { readonly json: string | null }

/** Runs what reads from the database; several run at the same time where there are several connections. */
export type Reader = <T>(read: (database: Queryable) => Promise<T>) => Promise<T>

export const readTotals = async (reader: Reader, plan: SelectPlan): Promise<Totals | undefined> => {
  const { aggregations, group } = plan.totals ?? {}
  if (!aggregations && !group) return undefined
  const most = criteriaLimits.groups
  const [all, groups] = await Promise.all([
    aggregations && reader((database) => queryShaped<Row>(database, compileAggregate(plan))),
    group && reader((database) => queryShaped<Row>(database, compileGroups(plan, most + 1))),
  ])
  return {
    aggregate: all?.[0] && takeWithinBudget(all[0].json),
    groups: groups?.slice(0, most).map(({ json }) => takeWithinBudget(json)),
    groupsAreComplete: groups && groups.length <= most,
  }
}
