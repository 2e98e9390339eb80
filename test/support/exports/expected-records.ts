/**
 * The records that random criteria select, computed from plain rows by a small implementation that shares
 * no code with the service.
 */
import { keyOf, type Query, type Scenario, type Where } from './a-random-project.ts'

export type Row = Readonly<Record<string, number | boolean | string | null>>
/** Rows of every entity by key, in the order of their ids. */
export type Rows = ReadonlyMap<string, readonly Row[]>

/** The ids and versions of the rows that the query selects, in its order. */
export const expectedOf = (chosen: Scenario, query: Query, rows: Rows): [number, number][] => {
  const read = valuesOver(chosen, query.entity, rows)
  const asked = query.where
  const kept = (rows.get(keyOf(chosen, query.entity)) ?? []).filter(
    (row) =>
      (selectsRemoved(asked) || row._is_deleted === false) &&
      (!asked || holds(asked, (path) => read(row, path))),
  )
  const sorted = kept.toSorted((a, b) => {
    for (const { path, descending } of query.orderBy) {
      const order = compare(read(a, path), read(b, path))
      if (order !== 0) return descending ? -order : order
    }
    return compare(a.id ?? null, b.id ?? null)
  })
  const ids = sorted.map(({ id, version }): [number, number] => [Number(id), Number(version)])
  const { limit, page } = query
  return limit === undefined ? ids : ids.slice((page - 1) * limit, page * limit)
}

type Value = number | boolean | string | null

/** Follows links from row to row. Null where a link is null. */
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

const holds = (where: Where, read: (path: readonly string[]) => Value): boolean =>
  Object.entries(where).every(([name, asked]) => {
    if (name === '$and') return (asked as Where[]).every((part) => holds(part, read))
    if (name === '$or') return (asked as Where[]).some((part) => holds(part, read))
    if (name === '$not') return !holds(asked as Where, read)
    const value = read(name.split('.'))
    return Object.entries(asked as Where).every((test) => passes(value, test))
  })

const passes = (value: Value, [operator, expected]: [string, unknown]): boolean => {
  switch (operator) {
    case '$ne':
      return value !== expected
    case '$gt':
      return value !== null && Number(value) > Number(expected)
    case '$lte':
      return value !== null && Number(value) <= Number(expected)
    case '$in':
      return (expected as unknown[]).includes(value)
    case '$nin':
      return !(expected as unknown[]).includes(value)
    case '$null':
      return (value === null) === expected
    default:
      return value === expected
  }
}

/** Sorts as PostgreSQL does: false before true, null last. */
const compare = (a: Value, b: Value): number => {
  const [left, right] = [a, b].map((one) => (one === null ? Number.MAX_VALUE : Number(one)))
  return left === right ? 0 : Number(left) < Number(right) ? -1 : 1
}

/** Whether a condition names the field of the entity itself, not that of a linked one. */
const selectsRemoved = (where: Where | undefined): boolean =>
  JSON.stringify(where ?? {}).includes('"_is_deleted":')
