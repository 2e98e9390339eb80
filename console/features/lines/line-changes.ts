/** How what is typed changes the lines of a draft. */
import type { Session } from '../session/session.ts'
import { defaultsOf } from '../values/defaults.ts'
import { isSame } from '../values/entered.ts'
import { isNewLine, type LineDraft } from './line-drafts.ts'
import { enteredColumns, type LineRow } from './line-rows.ts'
import type { TypedList } from './related.ts'

type Lines = readonly LineDraft[]

type Change = Partial<Pick<LineDraft, 'values' | 'names' | 'before' | 'isRemoved'>>

/** A value for a cell. */
export type Written = {
  readonly row: LineRow
  readonly column: string
  readonly value: unknown
  readonly linked: string | undefined
}

const isUnchanged = ({ values, isRemoved }: LineDraft): boolean =>
  Object.keys(values).length === 0 && !isRemoved

/** The lines with a change of one of them; a line that says nothing of a saved record is none. */
const withChange = (lines: Lines, { row, saved, line }: LineRow, change: Change): Lines => {
  const empty = { key: row.id, values: {}, names: {}, before: {} }
  const next: LineDraft = {
    ...(line ?? empty),
    ...(saved && { version: saved._version }),
    ...change,
  }
  if (saved && isUnchanged(next)) return lines.filter(({ key }) => key !== next.key)
  return lines.some(({ key }) => key === next.key)
    ? lines.map((one) => (one.key === next.key ? next : one))
    : [...lines, next]
}

const without = <T>(values: Readonly<Record<string, T>>, name: string) =>
  Object.fromEntries(Object.entries(values).filter(([key]) => key !== name))

const withValue = (lines: Lines, { row, column, value, linked }: Written): Lines => {
  const line = lines.find(({ key }) => key === row.row.id)
  const { values = {}, names = {}, before = {} } = line ?? {}
  const now: LineRow = { ...row, line }
  if (row.saved && isSame(value, row.saved[column]))
    return withChange(lines, now, {
      values: without(values, column),
      names: without(names, column),
      before: without(before, column),
    })
  return withChange(lines, now, {
    values: { ...values, [column]: value },
    names: linked === undefined ? without(names, column) : { ...names, [column]: linked },
    before: { ...before, [column]: row.saved?.[column] },
  })
}

/** The lines with values of some cells. */
export const withValues = (lines: Lines, written: readonly Written[]): Lines =>
  written.reduce<Lines>((all, one) => withValue(all, one), lines)

/** A new line goes; a saved record is marked, or kept after all. */
export const withRemoval = (lines: Lines, row: LineRow): Lines =>
  isNewLine({ key: row.row.id })
    ? lines.filter(({ key }) => key !== row.row.id)
    : withChange(lines, row, { isRemoved: !row.line?.isRemoved })

// Of new lines; it stays different while the page is open, and from those of a restored draft.
let lastKey = -Date.now()

/** New lines with their defaults and the next positions, for the end. */
export const newLines = (
  related: TypedList,
  rows: readonly LineRow[],
  session: Session,
  count: number,
): Lines => {
  const { orderBy } = related.field
  const { timeZone, firstDayOfWeek } = session.config
  const calendar = { timeZone, firstDayOfWeek: firstDayOfWeek ?? undefined }
  const last = Math.max(0, ...rows.map(({ row }) => Number(orderBy ? (row[orderBy] ?? 0) : 0)))
  const entered = new Set(enteredColumns(related).map(({ column }) => column))
  const defaults = [...defaultsOf(related.child, calendar, session)].filter(([column]) =>
    entered.has(column),
  )
  return Array.from({ length: count }, (_, at) => {
    lastKey -= 1
    const values = Object.fromEntries(defaults)
    if (orderBy) values[orderBy] = last + at + 1
    return { key: lastKey, values, names: {}, before: {} }
  })
}

/** What exchanges the positions of two neighbours. */
export const exchanged = (orderBy: string, one: LineRow, other: LineRow): readonly Written[] => {
  const from = Number(one.row[orderBy] ?? 0)
  const to = Number(other.row[orderBy] ?? 0)
  const write = (row: LineRow, value: number) => ({
    row,
    column: orderBy,
    value,
    linked: undefined,
  })
  return [write(one, to), write(other, from)]
}

/** The lines with the versions that were read last, where no value of them is to be decided. */
export const withVersions = (
  lines: Lines,
  rows: readonly LineRow[],
  isDecided: (id: number) => boolean,
): Lines | undefined => {
  const stale = new Map(
    rows.flatMap(({ saved, line }) =>
      saved && line && line.version !== saved._version && isDecided(saved.id)
        ? [[line.key, saved._version] as const]
        : [],
    ),
  )
  if (stale.size === 0) return undefined
  return lines.map((line) =>
    stale.has(line.key) ? { ...line, version: stale.get(line.key) } : line,
  )
}
