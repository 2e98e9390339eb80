/** What the layout of the columns of a list follows: the settings of the user, which are no part of addresses, and the texts of the first rows. */
import { useCallback, useMemo, useState } from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity } from '../../api/types.ts'
import { isObject } from '../session/address-values.ts'
import { useReading } from '../session/session.ts'
import { useConsoleSettings } from '../session/use-console-settings.ts'
import { type ListColumn, textAt } from '../values/columns.ts'
import type { ColumnLook } from './grid-layout.ts'
import { widestOf } from './text-width.ts'

// Of all columns of an entity, those that were changed last.
const maxWidths = 60
const maxPinned = 20
const [minWidth, maxWidth] = [56, 900]

/** The nearest width that a column may have. */
export const allowedWidth = (width: number): number =>
  Math.round(Math.max(minWidth, Math.min(width, maxWidth)))

/** Reads what any version of the page may have written. */
const readLook = (value: unknown): ColumnLook => {
  const { widths, pinned } = isObject(value) ? value : {}
  const entries = Object.entries(isObject(widths) ? widths : {}).flatMap(([path, width]) =>
    typeof width === 'number' ? [[path, allowedWidth(width)] as const] : [],
  )
  const paths = Array.isArray(pinned) ? pinned : []
  return {
    widths: Object.fromEntries(entries.slice(-maxWidths)),
    pinned: paths.filter((one) => typeof one === 'string').slice(0, maxPinned),
  }
}

const isUsual = ({ widths, pinned }: ColumnLook): boolean =>
  Object.keys(widths).length === 0 && pinned.length === 0

/** The look of the columns of an entity, and how it changes; `undefined` is the usual one. */
export const useColumnLook = (entity: string) => {
  const { settings, change } = useConsoleSettings()
  const name = `columns.${entity}`
  const setting = settings[name]
  const look = useMemo(() => readLook(setting), [setting])
  const setLook = useCallback(
    (next: ColumnLook | undefined) =>
      change({ [name]: next && !isUsual(next) ? readLook(next) : null }),
    [change, name],
  )
  return { look, setLook }
}

const sampledRows = 20
// No column shows more of a text.
const longestText = 80

// Of heads, as in their style.
const headWeight = 550
const headSize = 12.5

/** Heads have two lines, and no word is broken between them. */
const wordWidthOf = ({ label }: ListColumn): number =>
  widestOf(label.split(/[\s-]/), headWeight, headSize)

type Measured = {
  readonly entity: string
  /** In pixels, by the path of the column. */
  readonly widths: Readonly<Record<string, number>>
}

/** The columns with the widths of their texts in the first rows. These stay the same while a list is sorted, filtered or scrolled. */
export const useSizedColumns = (
  { key, workflow }: Entity,
  columns: readonly ListColumn[],
  rowAt: (index: number) => ListRow | undefined,
): readonly ListColumn[] => {
  const reading = useReading()
  const [measured, setMeasured] = useState<Measured>({ entity: key, widths: {} })
  const before = measured.entity === key ? measured.widths : {}
  const isNew = rowAt(0) !== undefined && columns.some(({ path }) => !(path in before))
  if (isNew) {
    const rows = Array.from({ length: sampledRows }, (_, at) => rowAt(at) ?? []).flat()
    const textsOf = (column: ListColumn): readonly string[] =>
      column.path === '_step'
        ? (workflow?.steps ?? []).map((step) => step.name ?? step.key)
        : rows.map((row) => textAt(row, column, reading).slice(0, longestText))
    const read = Object.fromEntries(columns.map((one) => [one.path, widestOf(textsOf(one))]))
    setMeasured({ entity: key, widths: { ...read, ...before } })
  }
  const { widths } = measured
  return useMemo(
    () =>
      columns.map((one) => ({
        ...one,
        textWidth: widths[one.path],
        wordWidth: wordWidthOf(one),
      })),
    [columns, widths],
  )
}
