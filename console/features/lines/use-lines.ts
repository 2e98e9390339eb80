/** The lines of a record while they are typed: cells that are entered, rows that are added, removed and moved. */
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { cellKey, linkedIn, type NewEdit } from '../grid/cell-edits.tsx'
import type { Place } from '../grid/grid-props.ts'
import type { Cells, Move } from '../grid/use-cells.ts'
import { type Session, useSession } from '../session/session.ts'
import { defaultsOf } from '../values/defaults.ts'
import { isSame, prepareRules } from '../values/entered.ts'
import { isNewLine, type LineDraft } from './line-drafts.ts'
import {
  cellFaults,
  enteredColumns,
  type LineRow,
  lineFaults,
  lineName,
  rowsOf,
} from './line-rows.ts'
import type { TypedList } from './related.ts'

/** What may be done with the lines of a record. */
export type LineRights = {
  readonly mayCreate: boolean
  readonly mayChange: boolean
  readonly mayRemove: boolean
}

export type LinesForm = {
  readonly related: TypedList
  readonly saved: readonly ListRow[]
  readonly lines: readonly LineDraft[]
  readonly onLines: (lines: readonly LineDraft[]) => void
  readonly rights: LineRights
  /** Of the last attempt to save, with the lines that it had. */
  readonly error: Error | null
  readonly sent: readonly LineDraft[]
  readonly isSaving: boolean
}

/** The most lines of a record that are typed at once. */
export const mostLines = 1000

export const useLines = (form: LinesForm) => {
  const { related, saved, lines, rights, isSaving } = form
  const put = useLatest(form)
  const [active, setActive] = useState<Place>({ row: 0, column: 0 })
  const rows = rowsOf(related, saved, lines)
  const faults = useFaults(form, rows)
  const fieldAt = fieldFinder(form, rows)
  const write = (written: readonly Written[], more: readonly LineDraft[] = []) =>
    put((all) => withValues([...all, ...more], written))
  const session = useSession()
  const begin = (count: number) => newLines(related, rows, session, count)
  const mayAdd = rights.mayCreate && !isSaving && rows.length < mostLines
  const place = { rows, fieldAt, setActive }
  const [isAdded, setIsAdded] = useState(false)
  const add = () => {
    put((all) => [...all, ...begin(1)])
    setIsAdded(true)
  }
  const open = useOpenLine(form, place, faults.edits, mayAdd ? add : undefined)
  const openAdded = useEffectEvent(() => {
    const row = rows.findLastIndex((one) => one.saved === undefined)
    open.start({ row, column: firstEmpty(related, rows[row]) })
    setIsAdded(false)
  })
  useEffect(() => {
    if (isAdded) openAdded()
  }, [isAdded])
  return {
    rows,
    active,
    setActive,
    fieldAt,
    write,
    begin,
    cells: { ...open, ...writingOf(rows, write), entity: related.child, edits: faults.edits },
    columns: enteredColumns(related),
    add: mayAdd ? add : undefined,
    toggle: ({ row }: Place) => {
      const at = rows[row]
      const mayGo = at && (rights.mayRemove || isNewLine({ key: at.row.id }))
      if (mayGo && !isSaving) put((all) => withRemoval(all, at))
    },
    /** The active cell stays on its line. */
    move: ({ row, column }: Place, by: 1 | -1) => {
      const { orderBy } = related.field
      const at = related.typed.findIndex(({ path }) => path === orderBy)
      const [one, other] = [row, row + by].map((each) => fieldAt({ row: each, column: at })?.at)
      if (!orderBy || !one || !other) return
      write(exchanged(orderBy, one, other))
      setActive({ row: row + by, column })
    },
    lineFaults: faults.ofLines,
    /** Shows all faults; true if there is none. */
    check: (): boolean => {
      const first = faults.check()
      if (first) setActive(first.place)
      return first === undefined
    },
  }
}

export type Lines = ReturnType<typeof useLines>

/** Changes the lines as they are by then: a cell is written and a line added in one go. */
const useLatest = ({ lines, onLines }: LinesForm) => {
  const latest = useRef(lines)
  useLayoutEffect(() => {
    latest.current = lines
  }, [lines])
  return (change: (lines: readonly LineDraft[]) => readonly LineDraft[]) => {
    latest.current = change(latest.current)
    onLines(latest.current)
  }
}

/** What is wrong with the lines; what others have changed elsewhere in a line does not keep it from being saved. */
const useFaults = (form: LinesForm, rows: readonly LineRow[]) => {
  const { related, lines, onLines, error, sent } = form
  const { child, field } = related
  const [isWhole, setIsWhole] = useState(false)
  const edits = cellFaults(rows, { related, sent: { error, lines: sent }, isWhole })
  useEffect(() => {
    // Without the rules the service alone decides.
    prepareRules(child.fields).catch(() => undefined)
  }, [child])
  useEffect(() => {
    const isDecided = (id: number) =>
      [...edits.values()].every(({ row, state }) => row.id !== id || state.kind !== 'conflict')
    const latest = withVersions(lines, rows, isDecided)
    if (latest) onLines(latest)
  })
  return {
    edits,
    ofLines: lineFaults(field.key, { error, lines: sent }),
    check: () => {
      setIsWhole(true)
      const asNew = { error: null, lines: [] }
      const [first] = cellFaults(rows, { related, sent: asNew, isWhole: true }).values()
      return first
    },
  }
}

/** Finds what may be entered in a cell. */
const fieldFinder = (
  { related, rights, isSaving }: LinesForm,
  rows: readonly LineRow[],
): ((place: Place) => (EnteredCell & { readonly at: LineRow }) | undefined) => {
  const entered = enteredColumns(related)
  return ({ row, column }) => {
    const at = rows[row]
    const found = entered.find(({ listColumn }) => listColumn === related.typed[column])
    const mayEnter = at?.saved ? rights.mayChange : rights.mayCreate
    const isOpen = mayEnter && !at?.line?.isRemoved && !isSaving
    return at && found && isOpen ? { at, ...found } : undefined
  }
}

type EnteredCell = ReturnType<typeof enteredColumns>[number]

type Places = {
  readonly rows: readonly LineRow[]
  readonly fieldAt: ReturnType<typeof fieldFinder>
  readonly setActive: (place: Place) => void
}

/** The column of the first value that is missing. */
const firstEmpty = (related: TypedList, at: LineRow | undefined): number => {
  const entered = enteredColumns(related)
  const empty = entered.find(({ column }) => (at?.row[column] ?? null) === null)
  const first = empty ?? entered[0]
  return first ? related.typed.indexOf(first.listColumn) : 0
}

/** The cell that is open, and which one follows it; after the last one a line is added. */
const useOpenLine = (
  { related: { child, typed } }: LinesForm,
  { rows, fieldAt, setActive }: Places,
  edits: Cells['edits'],
  add: (() => void) | undefined,
): Pick<Cells, 'open' | 'start' | 'close' | 'isForm'> => {
  const texts = useWorkTexts().lines
  const [open, setOpen] = useState<Cells['open']>()
  const start = (place: Place) => {
    const found = fieldAt(place)
    if (!found) return
    const { at, listColumn, field, column } = found
    const { row } = at
    const edit = edits.get(cellKey(row.id, listColumn))
    const name = lineName(child, at) ?? texts.newRow(place.row + 1)
    const isDecision = edit?.state.kind === 'conflict'
    setActive(place)
    setOpen({ place, name, row, listColumn, field, column, base: row[column], isDecision })
  }
  const nextOf = ({ row, column }: Place, move: Move): Place | undefined => {
    if (move === 'below')
      return fieldAt({ row: row + 1, column }) ? { row: row + 1, column } : undefined
    const step = move === 'next' ? 1 : -1
    const size = typed.length
    for (let at = row * size + column + step; at >= 0 && at < rows.length * size; at += step) {
      const place = { row: Math.floor(at / size), column: at % size }
      if (fieldAt(place)) return place
    }
    return undefined
  }
  const close = (move: Move) => {
    setOpen(undefined)
    if (!open || move === 'stay') return
    const next = nextOf(open.place, move)
    if (next) start(next)
    else if (move !== 'previous') add?.()
  }
  return { open, start, close, isForm: true }
}

/** How cells of lists write into lines. */
const writingOf = (
  rows: readonly LineRow[],
  write: (written: readonly Written[]) => void,
): Pick<Cells, 'save' | 'drop'> => {
  const rowOf = (edit: NewEdit) => rows.find(({ row }) => row.id === edit.row.id)
  return {
    save: (edit) => {
      const row = rowOf(edit)
      if (row) write([{ row, column: edit.column, value: edit.mine, linked: edit.linked }])
    },
    // An unchanged cell is closed without a word; one that is given up is as it was saved.
    drop: (edit) => {
      const row = rowOf(edit)
      if (!row || !('state' in edit)) return
      const linked = row.saved && linkedIn({ ...edit, row: row.saved })
      write([{ row, column: edit.column, value: row.saved?.[edit.column] ?? null, linked }])
    },
  }
}

// How what is typed changes the lines of a draft.

type Drafts = readonly LineDraft[]

type Change = Partial<Pick<LineDraft, 'values' | 'names' | 'before' | 'isRemoved'>>

/** A value for a cell. */
type Written = {
  readonly row: LineRow
  readonly column: string
  readonly value: unknown
  readonly linked: string | undefined
}

const isUnchanged = ({ values, isRemoved }: LineDraft): boolean =>
  Object.keys(values).length === 0 && !isRemoved

/** The lines with a change of one of them; a line that says nothing of a saved record is none. */
const withChange = (lines: Drafts, { row, saved, line }: LineRow, change: Change): Drafts => {
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

const withValue = (lines: Drafts, { row, column, value, linked }: Written): Drafts => {
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
const withValues = (lines: Drafts, written: readonly Written[]): Drafts =>
  written.reduce<Drafts>((all, one) => withValue(all, one), lines)

/** A new line goes; a saved record is marked, or kept after all. */
const withRemoval = (lines: Drafts, row: LineRow): Drafts =>
  isNewLine({ key: row.row.id })
    ? lines.filter(({ key }) => key !== row.row.id)
    : withChange(lines, row, { isRemoved: !row.line?.isRemoved })

// Of new lines; it stays different while the page is open, and from those of a restored draft.
let lastKey = -Date.now()

/** New lines with their defaults and the next positions, for the end. */
const newLines = (
  related: TypedList,
  rows: readonly LineRow[],
  session: Session,
  count: number,
): Drafts => {
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
const exchanged = (orderBy: string, one: LineRow, other: LineRow): readonly Written[] => {
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
const withVersions = (
  lines: Drafts,
  rows: readonly LineRow[],
  isDecided: (id: number) => boolean,
): Drafts | undefined => {
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
