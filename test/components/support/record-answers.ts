/** What a service with a few records says of them: lists, pages of records, and what a change makes of one. */
import type { Entity, RecordRow } from '../../../console/api/types.ts'
import type { Answer, Answers, Given, Records } from './answers.ts'

const at = '2026-01-01T00:00:00.000Z'
const systemValues = {
  _is_deleted: false,
  _owned_by: 1,
  _created_by: 1,
  _updated_by: 1,
  _created_at: at,
  _updated_at: at,
}

/** The record with every column that the user may see: what a test does not say is empty. */
const wholeRow = ({ fields, workflow }: Entity, row: RecordRow): RecordRow => {
  const usual: Record<string, unknown> = { ...systemValues, _step: workflow?.initialStep }
  return Object.assign(
    { _version: 1 },
    Object.fromEntries(
      fields.flatMap(({ column }) => (column === null ? [] : [[column, usual[column] ?? null]])),
    ),
    row,
  )
}

/** By entity. */
type Rows = ReadonlyMap<string, readonly RecordRow[]>

/** With the records of its links, as far as there are any. */
const withLinks = ({ fields }: Entity, row: RecordRow, all: Rows): RecordRow => {
  const links = fields.flatMap(({ key, type, column, entity }) => {
    if (type !== 'manyToOne' || column === null) return []
    const linked = all.get(entity ?? '')?.find(({ id }) => id === row[column])
    return linked ? [[key, linked]] : []
  })
  return { ...Object.fromEntries(links), ...row }
}

const actionsOf = ({ workflow, permissions, fields }: Entity, row: RecordRow): Given => {
  const step = workflow?.steps.find(({ key }) => key === row._step)
  const { actions: allowed, update, delete: remove, takeOwnership, tasks } = permissions
  const { comments, internalComments } = permissions
  const data = (step?.actions ?? []).filter(({ key }) => allowed.includes(key))
  const stepOf = (key: string | undefined) => {
    const { name = key, final = false } = workflow?.steps.find((one) => one.key === key) ?? {}
    return { key, name, final }
  }
  const mayCreate = fields.filter(({ type }) => type === 'oneToMany').map(({ key }) => [key, true])
  return {
    body: {
      step: step ? stepOf(step.key) : null,
      data: data.map(({ key, name = key, kind, to }) => ({
        key,
        name,
        kind,
        to: stepOf(to),
        form: null,
      })),
      unmet: [],
      may: Object.fromEntries(
        Object.entries({
          update,
          delete: remove,
          takeOwnership,
          tasks,
          comments,
          internalComments,
        }).map(([key, scope]) => [key, scope !== false]),
      ),
      unmetRights: [],
      lockedFields: [],
      mayCreate: Object.fromEntries(mayCreate),
    },
  }
}

export type Search = {
  readonly $aggregate?: Readonly<Record<string, readonly string[]>>
  readonly $group?: readonly string[]
  readonly $count?: boolean
  readonly $where?: { readonly id?: number | { readonly $in?: readonly number[] } }
}

/** Of the criteria of a search, only those are followed that name the record. */
const isFound = ({ $where: { id } = {} }: Search, row: RecordRow): boolean => {
  if (typeof id === 'number') return row.id === id
  return id?.$in?.includes(row.id) ?? true
}

/** The value at a path such as `currency.code`. */
const valueAt = (row: RecordRow, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>>)?.[key], row)

const groupsOf = (rows: readonly RecordRow[], paths: readonly string[]) => {
  const keyOf = (row: RecordRow) =>
    Object.fromEntries(paths.map((path) => [path, valueAt(row, path)]))
  const groups = Map.groupBy(rows, (row) => JSON.stringify(keyOf(row)))
  return {
    groups: [...groups].map(([key, { length: count }]) => ({ key: JSON.parse(key), count })),
    groupsAreComplete: true,
  }
}

/** Answers a search as usual, with the totals that a test gives where it asks for sums. */
export const withTotals =
  (totals: (search: Search) => object): Answer =>
  async ({ body }, usual) => {
    const asked = body as Search
    const given = await usual()
    if (!asked.$aggregate) return given
    return { ...given, body: { ...(given.body as object), ...totals(asked) } }
  }

/** Answers by method and path for these records. */
export const recordAnswers = (entities: readonly Entity[], records: Records): Answers => {
  const answers: Record<string, Answers[string]> = {}
  const known = Object.entries(records).map(([key, given]) => {
    const entity = entities.find((one) => one.key === key)
    if (!entity) throw new Error(`There is no entity “${key}”.`)
    return { key, entity, rows: given.map((row) => wholeRow(entity, row)) }
  })
  const all: Rows = new Map(known.map(({ key, rows }) => [key, rows]))
  for (const { key, entity, rows } of known) {
    answers[`POST /${key}/search`] = ({ body, query }) => {
      const { $count, $group, ...search } = body as Search
      const found = rows
        .filter((row) => isFound(search, row))
        .map((row) => withLinks(entity, row, all))
      const data = found.slice(0, Number(query.get('limit') ?? 20))
      const more = {
        ...($count && { total: found.length }),
        ...($group && groupsOf(found, $group)),
      }
      return { body: { data, next: null, previous: null, ...more } }
    }
    const write = (index: number, values: object) => {
      const row = rows[index] as RecordRow
      rows[index] = { ...row, ...values, _version: Number(row._version) + 1 }
    }
    answers[`POST /${key}`] = ({ body }) => {
      const id = Math.max(0, ...rows.map((row) => row.id)) + 1
      const row = wholeRow(entity, { id, ...(body as object) })
      rows.push(row)
      return { status: 201, body: withLinks(entity, row, all) }
    }
    for (const [index, { id }] of rows.entries()) {
      const read = (): RecordRow => rows[index] ?? { id }
      const answer = (): Given => ({
        headers: { ETag: `"${read()._version}"` },
        body: withLinks(entity, read(), all),
      })
      answers[`GET /${key}/${id}`] = answer
      answers[`PATCH /${key}/${id}`] = ({ body }) => {
        write(index, body as object)
        return answer()
      }
      for (const verb of ['proceedToStep', 'approveWorkflow', 'rejectWorkflow'])
        answers[`POST /${key}/${id}/${verb}`] = ({ body }) => {
          const { action } = body as { action: string }
          const step = entity.workflow?.steps.find((one) => one.key === read()._step)
          write(index, { _step: step?.actions?.find((one) => one.key === action)?.to })
          return answer()
        }
      answers[`GET /${key}/${id}/actions`] = () => actionsOf(entity, read())
      answers[`GET /${key}/${id}/history`] = { body: { data: [], next: null, previous: null } }
      answers[`GET /${key}/${id}/documents`] = { body: { data: [] } }
      answers[`GET /${key}/${id}/task`] = { body: [] }
    }
  }
  return answers
}
