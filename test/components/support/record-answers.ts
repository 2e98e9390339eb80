/** What a service with a few records says of them: lists, pages of records, and what a change makes of one. */
import type { Entity, RecordRow } from '../../../console/api/types.ts'
import type { Answers, Given, Records } from './answers.ts'

const at = '2026-01-01T00:00:00.000Z'
const systemValues = {
  ...{ _version: 1, _is_deleted: false, _owned_by: 1 },
  ...{ _created_by: 1, _updated_by: 1, _created_at: at, _updated_at: at },
}

/** The record with every column that the user may see: what a test does not say is empty. */
const wholeRow = ({ fields, workflow }: Entity, row: RecordRow): RecordRow => {
  const usual: Record<string, unknown> = { ...systemValues, _step: workflow?.initialStep }
  return Object.assign(
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
        ...{ key, name, kind, to: stepOf(to), form: null },
      })),
      unmet: [],
      may: Object.fromEntries(
        Object.entries({ update, delete: remove, takeOwnership, tasks }).map(([key, scope]) => [
          key,
          scope !== false,
        ]),
      ),
      unmetRights: [],
      mayCreate: Object.fromEntries(mayCreate),
    },
  }
}

type Search = {
  readonly $count?: boolean
  readonly $where?: { readonly id?: number | { readonly $in?: readonly number[] } }
}

/** Of the criteria of a search, only those are followed that name the record. */
const isFound = ({ $where: { id } = {} }: Search, row: RecordRow): boolean => {
  if (typeof id === 'number') return row.id === id
  return id?.$in?.includes(row.id) ?? true
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
      const found = rows.filter((row) => isFound(body as Search, row))
      const limit = Number(query.get('limit') ?? 20)
      const data = found.slice(0, limit).map((row) => withLinks(entity, row, all))
      const total = (body as Search).$count && { total: found.length }
      return { body: { data, next: null, previous: null, ...total } }
    }
    for (const [index, { id }] of rows.entries()) {
      const read = (): RecordRow => rows[index] ?? { id }
      const answer = (): Given => ({
        headers: { ETag: `"${read()._version}"` },
        body: withLinks(entity, read(), all),
      })
      answers[`GET /${key}/${id}`] = answer
      answers[`PATCH /${key}/${id}`] = ({ body }) => {
        rows[index] = { ...read(), ...(body as object), _version: Number(read()._version) + 1 }
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
