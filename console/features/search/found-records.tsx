/** Records of all entities that a search finds, in groups, with the values that were found. */

import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import { type FoundRecords, factsQuery, foundQuery } from '../../api/records/found.ts'
import type { Entity, Found, RecordRow } from '../../api/types.ts'
import { kindOf } from '../format/field-kinds.ts'
import { type Reading, valueAt } from '../format/format-value.ts'
import { useReading, useSession } from '../session/session.ts'
import { columnsAt, type Entities, type ListColumn, pathsOf, textAt } from '../values/columns.ts'
import { factColumns } from '../values/main-columns.ts'
import { MarkedText } from '../values/marked-text.tsx'
import './search.css'
import { Link } from '@tanstack/react-router'
import { useWorkTexts } from '../../texts/texts.ts'
import { RecordLink } from '../preview/record-link.tsx'
import { DaySection } from './day-section.tsx'

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
  kindOf(column.field).isNumber ? String(valueAt(row, column.place)) : textAt(row, column, reading)

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

type FactsProps = { readonly record: FoundRecord; readonly words: string }

export const FoundFacts = ({ record: { matched, facts }, words }: FactsProps): ReactNode => {
  if (!matched && facts?.length === 0) return null
  return (
    <span className="found-facts">
      <span>
        {matched && (
          <span>
            <span dir="auto">{matched.label}</span>:{' '}
            <MarkedText text={matched.text} words={words} />
          </span>
        )}
        {facts?.map((fact, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two facts may read the same
          <span key={at}>
            <span dir="auto">{fact}</span>
          </span>
        ))}
      </span>
    </span>
  )
}

type GroupProps = {
  readonly entity: Entity
  readonly records: readonly FoundRecord[]
  readonly words: string
}

export const FoundGroup = ({ entity, records, words }: GroupProps): ReactNode => {
  const texts = useWorkTexts().search
  return (
    <DaySection
      title={<span dir="auto">{entity.pluralName}</span>}
      all={
        <Link
          to="/$entity"
          params={{ entity: entity.key }}
          search={{ q: words }}
          aria-label={texts.moreOf(entity.pluralName)}
        >
          {texts.more}
        </Link>
      }
    >
      <ul className="found-rows">
        {records.map((record) => (
          <li key={record.id}>
            <RecordLink entity={entity.key} id={record.id}>
              <MarkedText text={record.display ?? `${record.id}`} words={words} />
            </RecordLink>
            <FoundFacts record={record} words={words} />
          </li>
        ))}
      </ul>
    </DaySection>
  )
}
