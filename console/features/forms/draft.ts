/** Unsaved changes of a record, and how they are merged with changes that others saved meanwhile. */
import type { Entity, Field, RecordRow } from '../../api/types.ts'
import { joinedFiles } from '../files/file-values.ts'
import { unitPathOf, unitTextOf, valueAt } from '../format/format-value.ts'
import { type Entities, fieldAt, placeOf } from '../values/columns.ts'
import { isSame } from '../values/entered.ts'

/** Changed values by column; a value that equals the record's is no change. */
export type Draft = ReadonlyMap<string, unknown>

export const noChanges: Draft = new Map()

/** The draft with a value for a column. */
export const withValue = (draft: Draft, base: RecordRow, column: string, value: unknown): Draft => {
  const next = new Map(draft)
  if (isSame(value, base[column])) next.delete(column)
  else next.set(column, value)
  return next
}

/** The value that a form shows. */
export const currentValue = (draft: Draft, base: RecordRow, column: string): unknown =>
  draft.has(column) ? draft.get(column) : base[column]

/** A field that the user and another user changed to different values. */
export type Conflict = {
  readonly column: string
  readonly mine: unknown
  readonly theirs: unknown
}

/**
 * The conflicts of a draft whose record has changed from `base` to `current`: fields that others have set to another
 * value than the draft. The user decides between both.
 */
export const findConflicts = (
  draft: Draft,
  base: Readonly<Record<string, unknown>>,
  current: RecordRow,
): Conflict[] =>
  [...draft].flatMap(([column, mine]) => {
    const theirs = current[column]
    const isTouched = !isSame(base[column], theirs)
    return isTouched && !isSame(mine, theirs) ? [{ column, mine, theirs }] : []
  })

/** Whether a column has several files: those of two users are joined, and nothing is to be decided. */
export const isJoinedOf =
  (fields: readonly Field[]) =>
  (name: string): boolean =>
    fields.some(({ column, type }) => column === name && type === 'files')

/** The draft on a record whose files others have changed too: what was done with those `before` is done with those. */
export const withFilesOf = (
  current: RecordRow,
  draft: Draft,
  fields: readonly Field[],
  before: (column: string) => unknown,
): Draft => {
  const isJoined = isJoinedOf(fields)
  return new Map(
    [...draft].map(([column, mine]) => [
      column,
      isJoined(column) ? joinedFiles(mine, before(column), current[column]) : mine,
    ]),
  )
}

/** The draft on the current record: without values that others have saved too. */
export const rebased = (draft: Draft, current: RecordRow): Draft =>
  new Map([...draft].filter(([column, mine]) => !isSame(mine, current[column])))

/** The draft after `sent` was saved: what was typed on `base` since. */
export const typedSince = (draft: Draft, base: RecordRow, sent: Draft): Draft => {
  const later = [...sent.keys()].map(
    (column) => [column, currentValue(draft, base, column)] as const,
  )
  return new Map(
    [...draft, ...later].filter(
      ([column, value]) => !(sent.has(column) && isSame(sent.get(column), value)),
    ),
  )
}

type UnitPlace = {
  readonly entity: Entity
  readonly entities: Entities
  readonly record: RecordRow
  readonly draft: Draft
}

/** The unit of a number of the record; undefined where it has none, and behind a changed link, whose record has not been read. */
export const unitIn = (
  field: Field,
  { entity, entities, record, draft }: UnitPlace,
): string | undefined => {
  const path = unitPathOf(field)
  if (path === undefined) return unitTextOf(field.unit)
  const naming = fieldAt(path, entity, entities)
  const [first = '', ...rest] = path.split('.')
  if (rest.length === 0 && draft.has(first)) return unitTextOf(draft.get(first), naming)
  return draft.has(`${first}_id`) ? undefined : unitTextOf(valueAt(record, placeOf(path)), naming)
}
