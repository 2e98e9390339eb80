/**
 * Random definitions with links, random criteria over them, and what such criteria select: worked out
 * here over plain rows, in a few lines that share nothing with the service.
 */
import fc from 'fast-check'
import { tableName } from '../../src/database/sql.ts'
import type { ProjectFiles } from '../support/service.ts'

export type Row = Readonly<Record<string, number | boolean | string | null>>
/** Rows of every entity by key, each in the order of its ids. */
export type Rows = ReadonlyMap<string, readonly Row[]>

type Leaf = { readonly path: readonly string[]; readonly test: readonly [string, unknown] }
type Where =
  | { readonly kind: 'leaf'; readonly leaf: Leaf }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Where[] }
  | { readonly kind: 'not'; readonly part: Where }

export type Wish = {
  readonly entity: number
  readonly where: Where | undefined
  readonly orderBy: readonly { readonly path: readonly string[]; readonly descending: boolean }[]
  readonly limit: number | undefined
  readonly page: number
  readonly format: 'csv' | 'ndjson' | 'json' | 'xlsx' | 'parquet'
}

type Entity = { readonly types: readonly string[]; readonly links: readonly number[] }
export type Scenario = {
  readonly entities: readonly Entity[]
  readonly rows: number
  readonly hasBallast: boolean
  readonly wishes: readonly Wish[]
}

// Every entity has these, so that any path of links can end on them; the rest is there by chance.
const common = [
  { key: 'version', type: 'integer' },
  { key: 'level', type: 'integer' },
  { key: 'is_on', type: 'boolean' },
  { key: 'ballast', type: 'text' },
]
const chanceTypes = ['string', 'text', 'bigint', 'decimal', 'date', 'timestamp', 'json', 'email']
const levels = 5

const entity: fc.Arbitrary<Entity> = fc.record({
  types: fc.array(fc.constantFrom(...chanceTypes), { maxLength: 5 }),
  // The first link is always there, so that paths of any length are; each leads to some entity.
  links: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 }),
})
const linkPath = fc.array(fc.constant('link0'), { maxLength: 3 })
const level = fc.integer({ min: 0, max: levels })
const leaf: fc.Arbitrary<Leaf> = fc
  .tuple(
    linkPath,
    fc.oneof(
      fc.tuple(
        fc.constant('level'),
        fc.oneof(
          fc.tuple(fc.constantFrom('$eq', '$ne', '$gt', '$lte'), level),
          fc.tuple(fc.constantFrom('$in', '$nin'), fc.array(fc.option(level), { maxLength: 3 })),
          fc.tuple(fc.constant('$null'), fc.boolean()),
        ),
      ),
      fc.tuple(fc.constant('is_on'), fc.tuple(fc.constant('$eq'), fc.option(fc.boolean()))),
      fc.tuple(fc.constant('_is_deleted'), fc.tuple(fc.constant('$ne'), fc.boolean())),
    ),
  )
  .map(([links, [field, test]]) => ({ path: [...links, field], test }))
const { where } = fc.letrec<{ where: Where }>((tie) => ({
  where: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf.map((one): Where => ({ kind: 'leaf', leaf: one })),
    fc.record({
      kind: fc.constantFrom('and', 'or'),
      parts: fc.array(tie('where'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not'), part: tie('where') }),
  ),
}))
const wish: fc.Arbitrary<Wish> = fc.record({
  entity: fc.nat({ max: 3 }),
  where: fc.option(where, { nil: undefined }),
  orderBy: fc.uniqueArray(
    fc.record({
      path: fc.tuple(linkPath, fc.constantFrom('level', 'is_on', 'id')).map(([a, b]) => [...a, b]),
      descending: fc.boolean(),
    }),
    // A column is asked for once.
    { maxLength: 2, selector: ({ path }) => path.join('.') },
  ),
  limit: fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined }),
  page: fc.integer({ min: 1, max: 3 }),
  format: fc.constantFrom('csv', 'ndjson', 'json', 'xlsx', 'parquet'),
})

export const scenario: fc.Arbitrary<Scenario> = fc.record({
  entities: fc.array(entity, { minLength: 2, maxLength: 4 }),
  rows: fc.integer({ min: 0, max: 900 }),
  hasBallast: fc.boolean(),
  wishes: fc.array(wish, { minLength: 2, maxLength: 4 }),
})

/** The key of the entity by its number, which counts in a circle. */
export const keyOf = ({ entities }: Scenario, number: number): string =>
  `e${number % entities.length}`

/** The files of the project. */
export const projectOf = (chosen: Scenario): ProjectFiles =>
  Object.fromEntries(
    chosen.entities.map(({ types, links }, index) => {
      const key = keyOf(chosen, index)
      const fields = [
        ...common,
        ...types.map((type, number) => ({ key: `f${number}`, type })),
        ...links.map((target, number) => ({
          key: `link${number}`,
          type: 'manyToOne',
          entity: keyOf(chosen, target),
        })),
      ]
      return [`entities/${key}.json`, { key, fields }]
    }),
  )

/** One statement that fills every entity; a link may lead nowhere. */
export const fillStatement = (chosen: Scenario): string =>
  chosen.entities
    .map((_one, index) => {
      const key = keyOf(chosen, index)
      // Text that hardly compresses, so that an export is larger than all buffers on its way.
      const ballast = chosen.hasBallast
        ? `(SELECT string_agg(md5((n * 900 + i)::text), '') FROM generate_series(1, 900) i)`
        : 'NULL'
      return `INSERT INTO ${tableName(key)} (version, level, is_on, ballast, _is_deleted)
        SELECT 0, nullif(n * 7 % ${levels + 1}, ${levels}), nullif(n % 3, 2) = 1, ${ballast}, n % 9 = 0
        FROM generate_series(1, ${Math.ceil(chosen.rows / (index + 1))}) n`
    })
    .concat(
      chosen.entities.flatMap(({ links }, index) =>
        links.map((target, number) => {
          // Every fifth link leads nowhere.
          const many = Math.ceil(chosen.rows / ((target % chosen.entities.length) + 1))
          return `UPDATE ${tableName(keyOf(chosen, index))}
            SET link${number}_id = nullif(id % 5, 0) * 0 + 1 + id * ${number + 3} % ${many}
`
        }),
      ),
    )
    .join(';\n')

/** The body of the request. */
export const bodyOf = ({ where: condition, orderBy }: Wish): object => ({
  $select: ['id', 'version', 'ballast'],
  ...(condition && { $where: criteriaOf(condition) }),
  ...(orderBy.length > 0 && {
    $orderBy: orderBy.map(({ path, descending }) => `${descending ? '-' : ''}${path.join('.')}`),
  }),
})

const criteriaOf = (condition: Where): object => {
  switch (condition.kind) {
    case 'leaf': {
      const [operator, value] = condition.leaf.test
      return { [condition.leaf.path.join('.')]: { [operator]: value } }
    }
    case 'not':
      return { $not: criteriaOf(condition.part) }
    case 'and':
    case 'or':
      return { [`$${condition.kind}`]: condition.parts.map(criteriaOf) }
  }
}

/** The ids and versions that the wish selects of the rows, in its order. */
export const expectedOf = (chosen: Scenario, wished: Wish, rows: Rows): [number, number][] => {
  const read = valuesOver(chosen, wished.entity, rows)
  const asked = wished.where
  const kept = (rows.get(keyOf(chosen, wished.entity)) ?? []).filter(
    (row) =>
      ((asked && asksForRemoved(asked)) || row._is_deleted === false) &&
      (!asked || holds(asked, (path) => read(row, path))),
  )
  const sorted = kept.toSorted((a, b) => {
    for (const { path, descending } of wished.orderBy) {
      const order = compare(read(a, path), read(b, path))
      if (order !== 0) return descending ? -order : order
    }
    return compare(a.id ?? null, b.id ?? null)
  })
  const ids = sorted.map(({ id, version }): [number, number] => [Number(id), Number(version)])
  const { limit, page } = wished
  return limit === undefined ? ids : ids.slice((page - 1) * limit, page * limit)
}

type Value = number | boolean | string | null

/** Follows links from row to row; null where one leads nowhere. */
const valuesOver = (chosen: Scenario, start: number, rows: Rows) => {
  const byId = new Map(
    [...rows].map(([key, all]) => [key, new Map(all.map((row) => [row.id, row]))]),
  )
  return (first: Row, path: readonly string[]): Value => {
    let row: Row | undefined = first
    let number = start % chosen.entities.length
    for (const link of path.slice(0, -1)) {
      const target: number = chosen.entities[number]?.links[Number(link.slice(4))] ?? 0
      number = target % chosen.entities.length
      row = byId.get(keyOf(chosen, number))?.get(row?.[`${link}_id`] ?? null)
    }
    return row?.[path.at(-1) ?? ''] ?? null
  }
}

const holds = (condition: Where, read: (path: readonly string[]) => Value): boolean => {
  switch (condition.kind) {
    case 'and':
      return condition.parts.every((part) => holds(part, read))
    case 'or':
      return condition.parts.some((part) => holds(part, read))
    case 'not':
      return !holds(condition.part, read)
    case 'leaf':
      return passes(read(condition.leaf.path), condition.leaf.test)
  }
}

const passes = (value: Value, [operator, wanted]: Leaf['test']): boolean => {
  switch (operator) {
    case '$ne':
      return value !== wanted
    case '$gt':
      return value !== null && Number(value) > Number(wanted)
    case '$lte':
      return value !== null && Number(value) <= Number(wanted)
    case '$in':
      return (wanted as unknown[]).includes(value)
    case '$nin':
      return !(wanted as unknown[]).includes(value)
    case '$null':
      return (value === null) === wanted
    default:
      return value === wanted
  }
}

/** As PostgreSQL sorts: false before true, null after everything. */
const compare = (a: Value, b: Value): number => {
  const [left, right] = [a, b].map((one) => (one === null ? Number.MAX_VALUE : Number(one)))
  return left === right ? 0 : Number(left) < Number(right) ? -1 : 1
}

const asksForRemoved = (condition: Where): boolean => {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.parts.some(asksForRemoved)
    case 'not':
      return asksForRemoved(condition.part)
    case 'leaf':
      return condition.leaf.path.join() === '_is_deleted'
  }
}
