/** Reads records: one by id, or those that criteria match, as JSON text ready to send. */

import { type Queryable, queryRows } from '../database/pool.ts'
import { raw, toStatement } from '../database/sql.ts'
import { resolvePath } from '../definitions/association-path.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { fault, faultOfMistakes, type Mistake } from '../errors.ts'
import type { Access, RecordScope } from '../query/access.ts'
import { compileCount, compileSelect } from '../query/compile-select.ts'
import { type Criteria, noCriteria } from '../query/criteria.ts'
import { planSelect } from '../query/plan-select.ts'
import { recordJson, visiblePaths } from '../query/record-json.ts'
import type { Page, SelectPlan } from '../query/select-plan.ts'

/** Who reads what: the same for one record and for many. */
export type Reading = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly access: Access
  readonly scope: RecordScope
  readonly timeZone: string
  /** Many-to-one paths to expand, such as `supplier.country`. */
  readonly include: readonly string[]
}

export type RecordText = { readonly json: string; readonly version: number }

/** One record, or a fault 404. */
export const readRecord = async (
  database: Queryable,
  reading: Reading,
  id: number,
): Promise<RecordText> => {
  const plan = planReading(reading, byId(id), undefined)
  const list = raw(`${recordJson(plan)} AS json, t."_version" AS version`)
  const [row] = await queryRows<RecordText>(database, toStatement(compileSelect(plan, list)))
  if (!row) throw unknownRecord(reading.entity, id)
  return row
}

/** The fault of a record that does not exist or may not be read. */
export const unknownRecord = (entity: Entity, id: number | string) =>
  fault('record.unknown', `There is no ${entity.key} ${id} that you may read.`)

/** The records of one page as JSON texts, with the number of all when the criteria ask for it. */
export const searchRecords = async (
  database: Queryable,
  reading: Reading,
  criteria: Criteria,
  page: Page,
): Promise<{ records: string[]; total: number | undefined }> => {
  const plan = planReading(reading, criteria, page)
  const select = compileSelect(plan, raw(`${recordJson(plan)} AS json`))
  const records = queryRows<{ json: string }>(database, toStatement(select))
  const [rows, total] = await Promise.all([
    records,
    criteria.count ? countRecords(database, plan) : undefined,
  ])
  return { records: rows.map((row) => row.json), total }
}

const countRecords = async (database: Queryable, plan: SelectPlan): Promise<number> => {
  const [row] = await queryRows<{ total: number }>(database, toStatement(compileCount(plan)))
  return row?.total ?? 0
}

const planReading = (reading: Reading, criteria: Criteria, page: Page | undefined): SelectPlan => {
  const { catalog, entity, access, scope, timeZone } = reading
  const includes = resolveIncludes(reading)
  const columns =
    criteria.select?.map((path, index) => ({ path, at: `$select[${index}]` })) ??
    visiblePaths(entity, access, includes)
  return planSelect({ catalog, entity, access, scope, timeZone, criteria, columns, page })
}

const byId = (id: number): Criteria => ({
  ...noCriteria,
  where: { kind: 'compare', field: 'id', operator: '$eq', value: id, at: 'id' },
})

/** Each association on the way of an include is expanded too. */
const resolveIncludes = ({ catalog, entity, access, include }: Reading) => {
  const mistakes: Mistake[] = []
  const found = new Map<string, Entity>()
  for (const path of include) {
    const names = path.split('.')
    for (let length = 1; length <= names.length; length++) {
      const part = names.slice(0, length).join('.')
      const result = resolvePath(catalog, entity, part, access.maySee)
      const target =
        'path' in result ? catalog.entities.get(result.path.column.target ?? '') : undefined
      if (!target || access.readScope(target) === 'none') {
        const message =
          'message' in result ? result.message : `"${part}" is no association that you may read`
        mistakes.push({ path: 'include', message })
        break
      }
      found.set(part, target)
    }
  }
  if (mistakes.length > 0) throw faultOfMistakes('request.invalid', mistakes)
  return [...found].map(([path, target]) => ({ path, entity: target }))
}
