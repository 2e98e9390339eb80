/** Checks of the records of a file that need the database: links, ids, required values of new ones; and, once written, validations. */
import { type Connection, queryOnce } from '../../database/pool.ts'
import { allOf, int, ints, join, raw, type Sql, sql, table } from '../../database/sql.ts'
import type { Catalog, Column } from '../../definitions/catalog.ts'
import type { Calendar } from '../../definitions/values/rules/moving-times.ts'
import { findUnmetOfEach } from '../../query/conditions/decide-conditions.ts'
import { validationCondition } from '../../query/conditions/validation-condition.ts'
import { errorAt, type SeedError } from '../files/seed.ts'
import { isLost, leadsToRemoved, referenceOf, type SeedRows, type Way } from '../seed-rows.ts'
import { missingErrors, requiredColumns } from './check-records.ts'

/** What checks of records in the database need. */
export type Checking = {
  readonly connection: Connection
  readonly catalog: Catalog
  readonly calendar: Calendar
}

const recordsAtOnce = 5000

/** An error for each validation that a record does not meet: of the new ones, and of those with these ids that users have not changed. */
export const findInvalid = async (
  { connection, catalog, calendar }: Checking,
  { seed, records }: SeedRows,
  ids: readonly number[],
): Promise<SeedError[]> => {
  const { entity } = seed
  const { definition } = entity
  const validations = definition.validations ?? []
  if (validations.length === 0) return []
  const asked = new Map(validations.map((one) => [one, validationCondition(definition, one)]))
  const decider = { catalog, timeZone: calendar.timeZone, userId: 0 }
  const written = await queryOnce<{ n: number; id: number }>(
    connection,
    sql`
      SELECT v.n, v.id
      FROM pg_temp.seed_record v
      WHERE v.match IS NULL OR v.match = ANY (${ints(ids)}) AND NOT v.is_changed`,
  )
  const errors: SeedError[] = []
  for (let start = 0; start < written.length; start += recordsAtOnce) {
    const some = written.slice(start, start + recordsAtOnce)
    const unmet = await findUnmetOfEach(
      connection,
      decider,
      { entity, ids: some.map(({ id }) => id) },
      asked,
    )
    for (const { id, n } of some)
      for (const { message, field } of unmet.get(id) ?? []) {
        const index = records[n]?.index ?? 0
        errors.push(errorAt(seed, field === undefined ? [index] : [index, field], message))
      }
  }
  return errors
}

type Check = {
  /** On the row `v`. */
  readonly when: Sql
  /** A number for the message. */
  readonly shown?: Sql
  readonly errorsOf: (found: readonly Found[]) => readonly SeedError[]
}

type Found = { readonly n: number; readonly shown: number | null }

/** Every error of the rows before they are written. */
export const checkRows = async (
  { connection, calendar }: Checking,
  rows: SeedRows,
  key: readonly Column[],
): Promise<SeedError[]> => {
  const checks = [
    ...rows.ways.flatMap((way) => linkChecks(rows, way)),
    ...idChecks(rows, key),
    ...requiredColumns(rows.seed.entity, calendar).map((column) => requiredCheck(rows, column)),
  ]
  const statements = checks.map(
    ({ when, shown = sql`NULL::integer` }, at) => sql`
      SELECT ${int(at)} AS at, v.n, ${shown} AS shown FROM pg_temp.seed_record v WHERE ${when}`,
  )
  const found = await queryOnce<Found & { at: number }>(connection, join(statements, ' UNION ALL '))
  const byCheck = Map.groupBy(found, ({ at }) => at)
  return checks.flatMap(({ errorsOf }, at) => errorsOf(byCheck.get(at) ?? []))
}

const isNew = sql`v.match IS NULL`

const linkChecks = ({ seed, records }: SeedRows, way: Way): Check[] => {
  const { by, target } = way
  const errorsOf = (print: (value: string) => string) => (found: readonly Found[]) =>
    found.flatMap(({ n }) => {
      const record = records[n]
      const reference = record && referenceOf(record, way)
      const value = JSON.stringify(reference?.value)
      return reference ? [errorAt(seed, reference.path, print(value))] : []
    })
  return [
    {
      when: isLost(way),
      errorsOf: errorsOf((value) => `there is no ${target.key} with the ${by.name} ${value}`),
    },
    {
      when: sql`${isNew} AND ${leadsToRemoved(way)}`,
      errorsOf: errorsOf(
        (value) =>
          `the ${target.key} with the ${by.name} ${value} was removed; restore it, or link to another one`,
      ),
    },
  ]
}

const idChecks = ({ seed, records }: SeedRows, key: readonly Column[]): Check[] => {
  const { entity } = seed
  const errorsOf = (print: (id: number | null) => string) => (found: readonly Found[]) =>
    found.map(({ n, shown }) => errorAt(seed, [records[n]?.index ?? 0, 'id'], print(shown)))
  const names = key.map(({ name }) => name).join(' and ')
  return [
    {
      when: sql`v.requested <> v.match`,
      shown: sql`v.match`,
      errorsOf: errorsOf(
        (id) =>
          `the ${entity.key} with this ${names} has the id ${id} already; ids cannot be changed`,
      ),
    },
    {
      when: sql`${isNew} AND EXISTS (SELECT FROM ${table(entity)} t WHERE t.id = v.requested)`,
      shown: sql`v.requested`,
      errorsOf: errorsOf((id) => `${id} is the id of another ${entity.key}`),
    },
  ]
}

const requiredCheck = ({ seed, records, given, following }: SeedRows, column: Column): Check => {
  const isGiven = given.find((one) => one.column === column)?.isGiven ?? sql`false`
  const follows = following.get(column) ?? raw('NULL')
  return {
    when: allOf([isNew, sql`NOT ${isGiven}`, sql`${follows} IS NULL`]),
    errorsOf: (found) =>
      missingErrors(
        seed,
        column,
        found.flatMap(({ n }) => records[n] ?? []),
      ),
  }
}
