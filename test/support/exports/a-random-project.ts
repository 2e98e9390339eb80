/** Random definitions with links, and random criteria over them. */
import fc from 'fast-check'
import { tableName } from '../../../src/database/sql.ts'
import type { ProjectFiles } from '../service.ts'

/** Conditions as a request has them: groups, and one operator for a path. */
export type Where = Readonly<Record<string, unknown>>

export type Query = {
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
  readonly queries: readonly Query[]
}

// Every entity has these, so that any path of links can end on them; the others are random.
const common = [
  { key: 'version', type: 'integer' },
  { key: 'level', type: 'integer' },
  { key: 'is_on', type: 'boolean' },
  { key: 'ballast', type: 'text' },
]
const randomTypes = ['string', 'text', 'bigint', 'decimal', 'date', 'timestamp', 'json', 'email']
const levels = 5

const entity: fc.Arbitrary<Entity> = fc.record({
  types: fc.array(fc.constantFrom(...randomTypes), { maxLength: 5 }),
  // The first link always exists, so that paths of any length exist; each points to some entity.
  links: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 }),
})
const linkPath = fc.array(fc.constant('link0'), { maxLength: 3 })
const level = fc.integer({ min: 0, max: levels })
const leaf: fc.Arbitrary<Where> = fc
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
  .map(([links, [field, [operator, value]]]) => ({
    [[...links, field].join('.')]: { [operator]: value },
  }))
const { where } = fc.letrec<{ where: Where }>((tie) => ({
  where: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc
      .tuple(fc.constantFrom('$and', '$or'), fc.array(tie('where'), { minLength: 1, maxLength: 3 }))
      .map(([group, parts]) => ({ [group]: parts })),
    tie('where').map((part) => ({ $not: part })),
  ),
}))
const query: fc.Arbitrary<Query> = fc.record({
  entity: fc.nat({ max: 3 }),
  where: fc.option(where, { nil: undefined }),
  orderBy: fc.uniqueArray(
    fc.record({
      path: fc.tuple(linkPath, fc.constantFrom('level', 'is_on', 'id')).map(([a, b]) => [...a, b]),
      descending: fc.boolean(),
    }),
    // A column is requested once.
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
  queries: fc.array(query, { minLength: 2, maxLength: 4 }),
})

/** The key of the entity by its number, modulo the number of entities. */
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

/** One statement that fills every entity. A link may be null. */
export const fillStatement = (chosen: Scenario): string =>
  chosen.entities
    .map((_one, index) => {
      const key = keyOf(chosen, index)
      // Text that hardly compresses, so that an export is larger than all its buffers.
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
          // Every fifth link is null.
          const many = Math.ceil(chosen.rows / ((target % chosen.entities.length) + 1))
          return `UPDATE ${tableName(keyOf(chosen, index))}
            SET link${number}_id = nullif(id % 5, 0) * 0 + 1 + id * ${number + 3} % ${many}
`
        }),
      ),
    )
    .join(';\n')

/** The body of the request. */
export const bodyOf = ({ where: $where, orderBy }: Query): object => ({
  $select: ['id', 'version', 'ballast'],
  ...($where && { $where }),
  ...(orderBy.length > 0 && {
    $orderBy: orderBy.map(({ path, descending }) => `${descending ? '-' : ''}${path.join('.')}`),
  }),
})
