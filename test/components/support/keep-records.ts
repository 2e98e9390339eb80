/** Answers for records that a page changes: what it writes is in what it reads next. */
import type { RecordRow } from '../../../console/api/types.ts'
import { type Answer, type Answers, type Asked, type Given, problem } from './answers.ts'

type Row = Record<string, unknown> & { id: number; _version: number }

type Where = Readonly<Record<string, unknown>>

const operators: Readonly<Record<string, (value: unknown, operand: unknown) => boolean>> = {
  $eq: (value, operand) => value === operand,
  $ne: (value, operand) => value !== operand,
  $in: (value, operand) => (operand as readonly unknown[]).includes(value),
  $nin: (value, operand) => !(operand as readonly unknown[]).includes(value),
  $gt: (value, operand) => Number(value) > Number(operand),
}

const holds = (value: unknown, condition: unknown): boolean =>
  typeof condition === 'object' && condition !== null
    ? Object.entries(condition).every(([name, operand]) => {
        const operator = operators[name]
        if (!operator) throw new Error(`These answers know no ${name}.`)
        return operator(value, operand)
      })
    : value === condition

const matches = (row: Row, where: Where): boolean =>
  Object.entries(where).every(([key, condition]) =>
    key === '$and'
      ? (condition as readonly Where[]).every((one) => matches(row, one))
      : holds(row[key], condition),
  )

const hasWords = (row: Row, words: string): boolean =>
  Object.values(row).some((value) => typeof value === 'string' && value.includes(words))

type Search = {
  readonly $where?: Where | null
  readonly $search?: string | null
  readonly $after?: string | null
  readonly $before?: string | null
  readonly $count?: boolean
  readonly $group?: readonly [string]
}

/** A page of the rows; a cursor is the number of rows before it. */
const pageOf = (found: readonly Row[], { $after, $before }: Search, query: URLSearchParams) => {
  const limit = Number(query.get('limit') ?? 20)
  const skipped = (Number(query.get('page') ?? 1) - 1) * limit
  const end = $before === undefined ? undefined : Number($before ?? found.length) - skipped
  const from = end === undefined ? Number($after ?? 0) + skipped : Math.max(end - limit, 0)
  const to = Math.min(end ?? from + limit, found.length)
  return {
    data: found.slice(from, to),
    next: to < found.length ? String(to) : null,
    previous: from > 0 ? String(from) : null,
  }
}

const groupsOf = (found: readonly Row[], path: string) =>
  [...Map.groupBy(found, (row) => row[path])].map(([value, rows]) => ({
    key: { [path]: value },
    count: rows.length,
  }))

/**
 * Answers searches by simple filters, reads, and changes of records of an entity, in the order given. `complete` says what
 * the service would add to a row of a list, such as the record behind a link.
 */
export const keepRecords = (
  entity: string,
  given: readonly RecordRow[],
  complete: (row: Row) => object = (row) => row,
) => {
  const rows: Row[] = given.map((row) => ({ _version: 1, _is_deleted: false, ...row }))
  const rowOf = (id: number): Row => {
    const row = rows.find((one) => one.id === id)
    if (!row) throw new Error(`There is no ${entity} ${id}.`)
    return row
  }
  /** Writes as a user does, with another version. */
  const write = (id: number, values: object): Row => {
    const row = rowOf(id)
    return Object.assign(row, values, { _version: row._version + 1 })
  }
  const remove = (id: number) => {
    rows.splice(rows.indexOf(rowOf(id)), 1)
  }
  const add = (row: RecordRow, place: number) => {
    rows.splice(place, 0, { _version: 1, ...row })
  }
  const search = ({ body, query }: Asked): Given => {
    const asked = body as Search
    const { $where, $search, $count, $group } = asked
    const found = rows.filter(
      (row) => matches(row, $where ?? {}) && ($search == null || hasWords(row, $search)),
    )
    const { data, ...cursors } = pageOf(found, asked, query)
    return {
      body: {
        data: data.map((row) => complete({ ...row })),
        ...cursors,
        ...($count && { total: found.length }),
        ...($group && { groups: groupsOf(found, $group[0]), groupsAreComplete: true }),
      },
    }
  }
  const read = (id: number) => {
    const row = rowOf(id)
    return { headers: { ETag: `"${row._version}"` }, body: { ...row } }
  }
  const answers: Record<string, Answer> = { [`POST /${entity}/search`]: search }
  for (const { id } of rows) {
    answers[`GET /${entity}/${id}`] = () => read(id)
    answers[`PATCH /${entity}/${id}`] = ({ body, headers }) => {
      if (headers.get('If-Match') !== `"${rowOf(id)._version}"`)
        return problem(412, 'record.stale', 'The record has changed since you read it.')
      write(id, body as object)
      return read(id)
    }
  }
  return { rows, rowOf, write, remove, add, search, answers: answers as Answers }
}

/** Records of an entity that a test gives and its page changes. */
export type KeptRecords = ReturnType<typeof keepRecords>
