/** A catalog of items with every field type, their makers and countries; and plans of queries on it. */
import assert from 'node:assert/strict'
import { type Catalog, createEntity, type Entity } from '../../../src/definitions/catalog.ts'
import type { EntityDefinition } from '../../../src/definitions/schemas/entity-definition.ts'
import { ApiError, type Issue } from '../../../src/errors.ts'
import { type Access, fullAccess, type RecordScope } from '../../../src/query/access.ts'
import { parseCriteria } from '../../../src/query/criteria/parse-criteria.ts'
import { planSelect } from '../../../src/query/plan-select.ts'
import type { Page, SelectPlan } from '../../../src/query/select-plan.ts'

const definitions: readonly EntityDefinition[] = [
  {
    key: 'item',
    ownership: true,
    fields: [
      { key: 'code', type: 'string', maxLength: 5, pattern: '[a-z]+' },
      { key: 'note', type: 'text' },
      { key: 'mail', type: 'email' },
      { key: 'count', type: 'integer', min: 0, max: 100 },
      { key: 'big', type: 'bigint' },
      { key: 'amount', type: 'decimal', precision: 12, scale: 2 },
      { key: 'flag', type: 'boolean' },
      { key: 'day', type: 'date' },
      { key: 'at', type: 'timestamp' },
      { key: 'level', type: 'enum', values: ['low', 'normal', 'high'], indexed: true },
      { key: 'extra', type: 'json' },
      { key: 'maker', type: 'manyToOne', entity: 'maker' },
      { key: 'parent', type: 'manyToOne', entity: 'item' },
      { key: 'parts', type: 'oneToMany', entity: 'item', mappedBy: 'parent' },
    ],
  },
  {
    key: 'maker',
    ownership: true,
    fields: [
      { key: 'name', type: 'string' },
      { key: 'country', type: 'manyToOne', entity: 'country' },
    ],
  },
  { key: 'country', fields: [{ key: 'code', type: 'string' }] },
]

export const catalog: Catalog = {
  entities: new Map(definitions.map((one) => [one.key, createEntity(one, false)])),
  roles: new Map(),
}

const entityOf = (key: string): Entity => {
  const entity = catalog.entities.get(key)
  if (!entity) throw new Error(`There is no entity ${key}.`)
  return entity
}

export const item = entityOf('item')

type PlanOptions = {
  readonly columns?: readonly string[]
  readonly access?: Partial<Access>
  readonly scope?: RecordScope
  readonly page?: Page
}

/** The plan of a criteria body for items; all items are in scope by default. */
export const planOf = (body: object, options: PlanOptions = {}): SelectPlan =>
  planSelect({
    catalog,
    entity: item,
    access: { ...fullAccess, ...options.access },
    scope: options.scope ?? 'all',
    criteria: parseCriteria(body),
    columns: (options.columns ?? []).map((path, index) => ({ path, at: `$select[${index}]` })),
    page: options.page,
    timeZone: 'Europe/Zagreb',
  })

/** The issues that parsing or planning of criteria throws; none when it succeeds. */
export const criteriaIssues = (work: () => unknown): readonly Issue[] => {
  try {
    work()
    return []
  } catch (error) {
    assert.ok(error instanceof ApiError)
    assert.equal(error.code, 'criteria.invalid')
    return error.errors
  }
}
