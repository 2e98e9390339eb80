/**
 * Which records each role of each user reads, as PostgreSQL's row-level security decides: the conditions of the roles are translated
 * to policies on copies of the tables, which are read under SET ROLE. It shares no code with the service.
 */
import { createHash } from 'node:crypto'
import type { Pool } from '../../../src/database/pool.ts'
import type { RandomProject, RandomRole } from './a-random-rights-project.ts'
import type { Shape, Where } from './random-conditions.ts'

type Translating = { readonly shapes: ReadonlyMap<string, Shape>; readonly user: number }

const quoted = (value: unknown): string => {
  if (value === null) return 'NULL'
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}

const operators: Readonly<Record<string, string>> = {
  $eq: '=',
  $gt: '>',
  $gte: '>=',
  $lt: '<',
  $lte: '<=',
}

/** A path of a record as nested selects: of every record, whichever user reads it. */
const valueAt = (path: string, entity: string, alias: string, { shapes }: Translating): string => {
  const [name = '', ...rest] = path.split('.')
  const target = shapes.get(entity)?.links[name]
  const column = `${alias}."${target ? `${name}_id` : name}"`
  if (target === undefined || rest.length === 0) return column
  const next = `${alias}x`
  const value = valueAt(rest.join('.'), target, next, { shapes, user: 0 })
  return `(SELECT ${value} FROM records."${target}" ${next} WHERE ${next}.id = ${column})`
}

/** What one operator of a comparison asks of a value. */
const compared = (value: string, operator: string, operand: unknown, at: Place): string => {
  const { $caller, $field, $today } = Object(operand)
  const { user, entity, alias } = at
  if ($today !== undefined)
    return `${value} ${operators[operator]} (now() AT TIME ZONE 'UTC')::date + ${$today}`
  if ($field !== undefined) {
    const other = valueAt($field, entity, alias, at)
    return `${value} ${operator === '$ne' ? '<>' : operators[operator]} ${other}`
  }
  if ($caller !== undefined && operator === '$in') {
    const [list = '', ...rest] = String($caller).split('.')
    const of = at.shapes.get('user')?.lists[list]
    const end = valueAt(rest.join('.'), of?.entity ?? '', 'm', at)
    return `${value} IN (SELECT ${end} FROM records."${of?.entity}" m WHERE m."${of?.mappedBy}_id" = ${user} AND NOT m._is_deleted)`
  }
  if ($caller !== undefined) {
    const own = `(SELECT ${valueAt($caller, 'user', 'c', at)} FROM records."user" c WHERE c.id = ${user})`
    return operator === '$ne'
      ? `(${own} IS NOT NULL AND ${value} IS DISTINCT FROM ${own})`
      : `${value} ${operators[operator]} ${own}`
  }
  if (operator === '$ne') return `${value} IS DISTINCT FROM ${quoted(operand)}`
  if (operator === '$null') return `${value} IS ${operand ? '' : 'NOT '}NULL`
  if (operator === '$in' || operator === '$nin') {
    const each = (operand as unknown[]).map((one) => `${value} IS NOT DISTINCT FROM ${quoted(one)}`)
    return `${operator === '$nin' ? 'NOT ' : ''}(${each.join(' OR ')})`
  }
  return `${value} ${operators[operator]} ${quoted(operand)}`
}

type Place = Translating & { readonly entity: string; readonly alias: string }

/** A condition as the expression of a policy. */
const policyOf = (where: Where, at: Place): string => {
  const parts = Object.entries(where).map(([path, asked]): string => {
    const grouped = () => (asked as Where[]).map((one) => `(${policyOf(one, at)})`)
    if (path === '$and') return grouped().join(' AND ')
    if (path === '$or') return grouped().join(' OR ')
    if (path === '$not') return `(${policyOf(asked as Where, at)}) IS NOT TRUE`
    const isPlain = asked === null || typeof asked !== 'object'
    const tests = isPlain || '$caller' in asked || '$field' in asked ? { $eq: asked } : asked
    return Object.entries(tests)
      .map(([operator, operand]) => testOf(path, operator, operand, at))
      .join(' AND ')
  })
  return parts.length === 0 ? 'true' : parts.map((part) => `(${part})`).join(' AND ')
}

const testOf = (path: string, operator: string, operand: unknown, at: Place): string => {
  const { entity, alias, shapes } = at
  const next = `${alias}n`
  if (operator === '$readable') {
    // Under the policies of the same user.
    const target = shapes.get(entity)?.links[path]
    return `EXISTS (SELECT FROM policed."${target}" ${next} WHERE ${next}.id = ${valueAt(path, entity, alias, at)})`
  }
  const list = shapes.get(entity)?.lists[path]
  if (!list) return compared(valueAt(path, entity, alias, at), operator, operand, at)
  const removed = JSON.stringify(operand).includes('_is_deleted')
    ? ''
    : `AND NOT ${next}._is_deleted`
  const within = policyOf(operand as Where, { ...at, entity: list.entity, alias: next })
  return `${operator === '$none' ? 'NOT ' : ''}EXISTS (SELECT FROM records."${list.entity}" ${next}
    WHERE ${next}."${list.mappedBy}_id" = ${alias}.id ${removed} AND (${within}))`
}

/** Links and lists of native entities, as far as conditions name them. */
const nativeShapes: readonly Shape[] = [
  {
    key: 'user',
    links: { home: 'e0' },
    lists: {
      groups: { entity: 'user_group_member', mappedBy: 'user' },
      held: { entity: 'e1', mappedBy: 'holder' },
    },
  },
  { key: 'user_group_member', links: { user_group: 'user_group', user: 'user' }, lists: {} },
  { key: 'user_group', links: {}, lists: {} },
]

/** The ids that a role reads, by entity. */
export type Readable = Readonly<Record<string, ReadonlySet<number>>>

/** By `<user> <role>`. */
type Policed = ReadonlyMap<string, Readable>

const ownOf = (id: number, hasOwner: boolean) =>
  hasOwner ? `(t._created_by = ${id} OR t._owned_by = ${id})` : `t._created_by = ${id}`

/** The policies of a role for its user; entities without one are not read. */
const policiesOf = (
  role: RandomRole,
  as: string,
  user: number,
  { project, owned }: Options,
): string[] => {
  const shapes = new Map([...project.shapes, ...nativeShapes].map((one) => [one.key, one]))
  return Object.entries(role.rights).flatMap(([entity, { read, conditions }]) => {
    if (read === false || entity === 'task') return []
    const where = policyOf(conditions?.read ?? {}, { shapes, user, entity, alias: 't' })
    const own = read === 'own' ? `${ownOf(user, owned.includes(entity))} AND ` : ''
    // A policy names the columns of its table by the name of the table.
    const using = `${own}(${where})`.replaceAll(/\bt\./g, `"${entity}".`)
    return [`CREATE POLICY ${as} ON policed."${entity}" TO ${as} USING (${using})`]
  })
}

type Options = {
  readonly project: RandomProject
  readonly idOf: (name: string) => number
  /** The entities whose records have owners. */
  readonly owned: readonly string[]
}

/** Asks in a transaction that is rolled back, with its roles, copies and policies. */
export const readPoliced = async (pool: Pool, options: Options): Promise<Policed> => {
  const { project, idOf } = options
  const connection = await pool.connect()
  try {
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    const { rows } = await connection.query('SELECT current_database() AS name')
    // Roles are of the whole server.
    const prefix = `policed_${createHash('md5').update(rows[0].name).digest('hex').slice(0, 12)}`
    const entities = [...project.shapes.map(({ key }) => key), 'user', 'user_group']
    const pairs = project.users.flatMap(({ name, roles }) => roles.map((key) => ({ name, key })))
    const asOf = ({ name, key }: (typeof pairs)[number]) => `${prefix}_${name}_${key}`
    const policies = pairs.flatMap((pair) => {
      const role = project.roles.find(({ key }) => key === pair.key)
      return role ? policiesOf(role, asOf(pair), idOf(pair.name), options) : []
    })
    const all = pairs.map(asOf).join(', ')
    await connection.query(
      [
        ...pairs.map((pair) => `CREATE ROLE ${asOf(pair)}`),
        'CREATE SCHEMA policed',
        ...entities.flatMap((key) => [
          `CREATE TABLE policed."${key}" AS TABLE records."${key}"`,
          `ALTER TABLE policed."${key}" ENABLE ROW LEVEL SECURITY`,
        ]),
        `GRANT USAGE ON SCHEMA policed, records TO ${all}`,
        `GRANT SELECT ON ALL TABLES IN SCHEMA policed, records TO ${all}`,
        ...policies,
      ].join(';\n'),
    )
    const select = entities
      .map((key) => `SELECT '${key}' AS entity, id FROM policed."${key}"`)
      .join(' UNION ALL ')
    const found = new Map<string, Readable>()
    for (const pair of pairs) {
      await connection.query(`SET LOCAL ROLE ${asOf(pair)}`)
      const read = (await connection.query<{ entity: string; id: number }>(select)).rows
      await connection.query('RESET ROLE')
      const idsOf = (key: string) =>
        new Set(read.flatMap(({ entity, id }) => (entity === key ? [id] : [])))
      found.set(
        `${pair.name} ${pair.key}`,
        Object.fromEntries(entities.map((key) => [key, idsOf(key)])),
      )
    }
    return found
  } finally {
    await connection.query('ROLLBACK')
    connection.release()
  }
}
