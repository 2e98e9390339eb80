/** Lines of a record that are typed and not saved: they stand in its draft by the key of their one-to-many field. */
import type { Entity, RecordRow } from '../../api/types.ts'
import { writtenValue } from '../files/file-values.ts'
import { kindOf } from '../format/field-kinds.ts'

export type LineDraft = {
  /** The id of a record; below zero for a new one. */
  readonly key: number
  /** Of a record: the version that was read. */
  readonly version?: unknown
  /** Entered values by column. */
  readonly values: Readonly<Record<string, unknown>>
  /** What chosen records are called, by the column of the link. */
  readonly names: Readonly<Record<string, string>>
  /** Of a record: the values that were on the screen. */
  readonly before: Readonly<Record<string, unknown>>
  readonly isRemoved?: boolean
}

export const isNewLine = ({ key }: Pick<LineDraft, 'key'>): boolean => key < 0

/** Lines by what becomes of them, in the order in which they are sent. */
export const sentLines = (lines: readonly LineDraft[]) => ({
  create: lines.filter((line) => isNewLine(line) && !line.isRemoved),
  change: lines.filter((line) => !isNewLine(line) && !line.isRemoved),
  remove: lines.filter((line) => !isNewLine(line) && line.isRemoved),
})

/** What a write of lines says of them. */
export const bodyOfLines = (lines: readonly LineDraft[]) => {
  const { create, change, remove } = sentLines(lines)
  const known = ({ key: id, version: _version }: LineDraft) => ({ id, _version })
  return {
    create: create.map(({ values }) =>
      Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
    ),
    ...(change.length > 0 && {
      change: change.map((line) => ({ ...known(line), ...line.values })),
    }),
    ...(remove.length > 0 && { remove: remove.map(known) }),
  }
}

/** The body of a write of entered values, with lines and files as the service takes them; `before` is the record, if there is one. */
export const bodyOf = (
  { fields }: Entity,
  values: Iterable<readonly [column: string, value: unknown]>,
  before?: RecordRow,
): object =>
  Object.fromEntries(
    [...values].map(([column, value]) => {
      const isList = fields.some((field) => field.key === column && kindOf(field).isList)
      if (isList) return [column, bodyOfLines(value as readonly LineDraft[])]
      const field = fields.find((one) => one.column === column)
      return [column, writtenValue(field, value, before && (before[column] ?? []))]
    }),
  )
