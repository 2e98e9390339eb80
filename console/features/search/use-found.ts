/** Records that a search has found, each with its main facts and the field that has the words. */
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { type FoundRecords, factsQuery, foundQuery } from '../../api/records/found.ts'
import type { Entity, Found, RecordRow } from '../../api/types.ts'
import { isNumeric, type Reading, valueAt } from '../format/format-value.ts'
import { useReading, useSession } from '../session/session.ts'
import {
  columnsAt,
  type Entities,
  type ListColumn,
  labelOf,
  pathsOf,
  textAt,
} from '../values/columns.ts'
import { factColumns } from '../values/main-columns.ts'

export type FoundRecord = Found & {
  /** The field that has the words, where that is not what names the record. */
  readonly matched: { readonly label: string; readonly text: string } | undefined
  /** Undefined until they are read. */
  readonly facts: readonly string[] | undefined
}

/** Whether the text that names the record does not have the words. */
const isByOtherField =
  ({ displayField }: Entity) =>
  ({ field, id, display }: Found): boolean =>
    field !== displayField && !(field === 'id' && display === String(id))

/** The value in which the words are; digits as they were typed, without the marks of a language. */
const matchedText = (row: RecordRow, column: ListColumn, reading: Reading): string =>
  isNumeric(column.field) ? String(valueAt(row, column.place)) : textAt(row, column, reading)

/** The link to a record that has the words. */
const linkedText = ({ field: key, linked }: Found, entity: Entity | undefined) => {
  const field = entity?.fields.find((one) => one.key === key)
  return field && linked !== undefined ? { label: labelOf(field), text: linked } : undefined
}

/** What is read of the records of an entity. */
const columnsOf = (entity: Entity, found: readonly Found[], entities: Entities) => {
  const others = found.filter((one) => one.linked === undefined && isByOtherField(entity)(one))
  const fields = [...new Set(others.map(({ field }) => field))]
  const facts = factColumns(entity, entities)
  const matched = columnsAt(fields, entity, entities)
  return { facts, matched, paths: [...new Set([...facts, ...matched].flatMap(pathsOf))] }
}

const nothing: FoundRecords = { data: [], incomplete: [] }

/** What the service finds for words, as far as it has come: so many records of each entity at most. */
export const useFound = (words: string, limit: number) => {
  const { data = nothing, ...query } = useQuery({
    ...foundQuery(words, limit),
    enabled: words !== '',
  })
  const records = useFacts(words === '' ? nothing.data : data.data)
  return { ...query, records, incomplete: data.incomplete }
}

/** The records with what is read of them. */
const useFacts = (found: readonly Found[]): readonly FoundRecord[] => {
  const { entities } = useSession()
  const reading = useReading()
  const groups = [...Map.groupBy(found, ({ entity }) => entity)].flatMap(([key, all]) => {
    const entity = entities.get(key)
    return entity ? [{ key, all, entity, columns: columnsOf(entity, all, entities) }] : []
  })
  const rows = useQueries({
    queries: groups.map(({ key, all, columns }) => ({
      ...factsQuery(
        key,
        all.map(({ id }) => id),
        columns.paths,
      ),
      placeholderData: keepPreviousData,
    })),
  })
  return found.map((one): FoundRecord => {
    const at = groups.findIndex(({ key }) => key === one.entity)
    const columns = groups[at]?.columns
    const row = rows[at]?.data?.get(one.id)
    const column = columns?.matched.find(({ path }) => path === one.field)
    if (!row) return { ...one, matched: undefined, facts: columns?.paths.length ? undefined : [] }
    // What is said of the match is said once.
    const facts = columns?.facts.filter(({ place: [first] }) => first !== one.field) ?? []
    return {
      ...one,
      matched:
        linkedText(one, groups[at]?.entity) ??
        (column && { label: column.label, text: matchedText(row, column, reading) }),
      facts: facts.map((fact) => textAt(row, fact, reading)).filter((text) => text !== ''),
    }
  })
}
