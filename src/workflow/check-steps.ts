/** Refuses to start where records stand in a step that the definition has lost. */
import type { Queryable } from '../database/pool.ts'
import { bound, raw, sql, tableName, toLiteralText } from '../database/sql.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { StartFault } from '../errors.ts'
import { nearMiss } from '../near-miss.ts'
import { countInStep, listSteps, listTablesWithSteps } from './step-store.ts'
import { findStep } from './workflow.ts'

/** Records of an entity that stand in a step of no definition, with what would move them. */
export type LostStep = {
  readonly entityKey: string
  readonly step: string
  readonly records: number
  /** A statement that moves them, to the step that has most likely taken its place. */
  readonly sql: string
}

/** Every step that is gone and still holds records which are not removed. */
export const findLostSteps = async (
  database: Queryable,
  catalog: Catalog,
): Promise<readonly LostStep[]> => {
  const tables = await listTablesWithSteps(database)
  const lost: LostStep[] = []
  for (const entity of catalog.entities.values()) {
    const { workflow } = entity.definition
    if (!workflow || !tables.has(entity.key)) continue
    for (const step of await listSteps(database, entity)) {
      if (findStep(workflow, step)) continue
      const records = await countInStep(database, entity, step)
      if (records === 0) continue
      const keys = workflow.steps.map(({ key }) => key)
      const to = nearMiss(step, keys) ?? workflow.initialStep
      lost.push({ entityKey: entity.key, step, records, sql: moveSql(entity.key, step, to) })
    }
  }
  return lost
}

/** Throws a StartFault that names every lost step, how many records it holds, and what to do. */
export const checkSteps = async (database: Queryable, catalog: Catalog): Promise<void> => {
  const lost = await findLostSteps(database, catalog)
  if (lost.length === 0) return
  const list = lost.map((one) => `  ${lostStepText(one)}\n    ${one.sql};`)
  throw new StartFault(
    `Records stand in workflow steps that their definition has no more:\n${list.join('\n')}\nAdd the step to the definition again, or move the records with that SQL to the step that suits them.`,
  )
}

/** `2 records of order stand in the step "review", which its workflow has no more`. */
export const lostStepText = ({ entityKey, step, records }: LostStep): string => {
  const stand = records === 1 ? '1 record of' : `${records} records of`
  return `${stand} ${entityKey} ${records === 1 ? 'stands' : 'stand'} in the step "${step}", which its workflow has no more`
}

const moveSql = (entityKey: string, from: string, to: string): string => {
  const text = (value: string) => bound(value, 'text')
  const move = sql`UPDATE ${raw(tableName(entityKey))} SET _step = ${text(to)}, _version = _version + 1 WHERE _step = ${text(from)}`
  return toLiteralText(move)
}
