/** Finds stored values that are not what their definition calculates, within a time limit: the newest records first. */
import type { Queryable } from '../../database/pool.ts'
import { identifier, tableName } from '../../database/sql.ts'
import {
  type Calculated,
  inOrderOfCalculation,
} from '../../definitions/calculations/calculation-order.ts'
import { type Calculating, differsSql } from './calculation-sql.ts'

export type ComparedField = {
  readonly entity: string
  readonly field: string
  readonly compared: number
  readonly isComplete: boolean
  readonly differing: number
  readonly ids: readonly number[]
  /** Why the others could not be compared. */
  readonly fault?: string
}

const recordsAtOnce = 2_000
const maxIds = 5

/** Each field gets an equal share of the time that is left, and at least one part of its records. */
export const findDiffering = async (
  database: Queryable,
  calculating: Calculating,
  budgetMs: number,
): Promise<ComparedField[]> => {
  const until = performance.now() + budgetMs
  const all = inOrderOfCalculation(calculating.catalog)
  const found: ComparedField[] = []
  for (const [index, one] of all.entries()) {
    const now = performance.now()
    const share = Math.max(0, until - now) / (all.length - index)
    found.push(await compareField(database, calculating, one, now + share))
  }
  return found
}

type Part = {
  readonly read: number
  readonly last: string | null
  readonly differing: number
  readonly ids: readonly number[] | null
}

const compareField = async (
  database: Queryable,
  calculating: Calculating,
  one: Calculated,
  until: number,
): Promise<ComparedField> => {
  const statement = partSql(calculating, one)
  const ids: number[] = []
  let [compared, differing, isComplete] = [0, 0, false]
  let last: string | null = null
  const result = () => ({
    entity: one.entity.key,
    field: one.column.field.key,
    compared,
    isComplete,
    differing,
    ids: ids.slice(0, maxIds),
  })
  do {
    let part: Part | undefined
    try {
      part = (await database.query<Part>(statement, [last, recordsAtOnce])).rows[0]
    } catch (error) {
      return { ...result(), fault: faultOf(error) }
    }
    compared += part?.read ?? 0
    differing += part?.differing ?? 0
    ids.push(...(part?.ids ?? []))
    last = part?.last ?? null
    isComplete = (part?.read ?? 0) < recordsAtOnce
  } while (!isComplete && performance.now() < until)
  return result()
}

/** Records that were removed are compared too: they may be restored. */
const partSql = (calculating: Calculating, one: Calculated): string => `
WITH part AS MATERIALIZED (
  SELECT * FROM ${tableName(one.entity.key)} t
  WHERE $1::bigint IS NULL OR t.${identifier('id')} < $1::bigint
  ORDER BY t.id DESC
  LIMIT $2::integer
), compared AS (
  SELECT t.id, ${differsSql(calculating, one)} AS differs FROM part t
)
SELECT
  count(*)::integer AS read,
  min(id)::text AS last,
  count(*) FILTER (WHERE differs)::integer AS differing,
  (array_agg(id::integer ORDER BY id DESC) FILTER (WHERE differs))[1:${maxIds}] AS ids
FROM compared`

/** By SQLSTATE; every other error is one of the connection. */
const faults: Readonly<Record<string, string>> = {
  '57014': 'PostgreSQL did not answer in time',
  '42P01': 'its table is missing',
  '42703': 'its column is missing',
  '42501': 'this role may not read it',
  '22003': 'a result does not fit',
}

const faultOf = (error: unknown): string => {
  const fault = faults[String((error as { code?: unknown }).code)]
  if (fault === undefined) throw error
  return fault
}
