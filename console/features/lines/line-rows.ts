/** The rows of a table of lines: saved records with what is typed, new ones, and what is wrong with them. */
import { ApiProblem, type Issue } from '../../api/client.ts'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity, Field } from '../../api/types.ts'
import { isFileField } from '../files/file-values.ts'
import { kindOf } from '../format/field-kinds.ts'
import { type CellEdit, type CellEdits, cellKey, withEdit } from '../grid/cell-edits.tsx'
import type { ListColumn } from '../values/columns.ts'
import { isBlank, isFaulty, isSame } from '../values/entered.ts'
import { isEntered } from '../values/own-fields.ts'
import { isNewLine, type LineDraft, sentLines } from './line-drafts.ts'
import { ownFieldOf, type TypedList } from './related.ts'

export type LineRow = {
  /** With what is typed; its id is the key of the line. */
  readonly row: ListRow
  /** As it is saved; undefined for a new one. */
  readonly saved: ListRow | undefined
  readonly line: LineDraft | undefined
}

/** What a line is called: what its record shows; a new one that shows nothing yet has no name. */
export const lineName = (
  { displayField }: Pick<Entity, 'displayField'>,
  { row, saved }: Pick<LineRow, 'row' | 'saved'>,
): string | undefined => {
  const shown = saved || displayField !== 'id' ? (row[displayField] ?? undefined) : undefined
  return shown === undefined ? undefined : String(shown)
}

/** The columns of a line that the user enters, with their fields. */
export const enteredColumns = ({ child, typed }: Pick<TypedList, 'child' | 'typed'>) =>
  typed.flatMap((listColumn) => {
    const field = ownFieldOf(child, listColumn)
    const isTypedIn = field && isEntered(field) && !isFileField(field)
    return isTypedIn && field.column ? [{ listColumn, field, column: field.column }] : []
  })

/** In the order of their positions, if they have any, else as they were read, new ones last. */
export const rowsOf = (
  { child, typed, field }: TypedList,
  saved: readonly ListRow[],
  lines: readonly LineDraft[],
): readonly LineRow[] => {
  const entered = enteredColumns({ child, typed })
  const byKey = new Map(lines.map((line) => [line.key, line]))
  const typedInto = (row: ListRow, line: LineDraft | undefined): ListRow =>
    line
      ? entered
          .filter(({ column }) => column in line.values)
          .reduce((all, { listColumn, column }) => {
            const written = {
              listColumn,
              column,
              mine: line.values[column],
              linked: line.names[column],
            }
            return withEdit(all, written)
          }, row)
      : row
  const rows = [
    ...saved.map((row) => {
      const line = byKey.get(row.id)
      return { row: typedInto(row, line), saved: row, line }
    }),
    ...lines
      .filter(isNewLine)
      .map((line) => ({ row: typedInto({ id: line.key }, line), saved: undefined, line })),
  ]
  const { orderBy } = field
  if (!orderBy) return rows
  const placeOf = ({ row }: LineRow) => Number(row[orderBy] ?? Number.MAX_SAFE_INTEGER)
  return rows.toSorted((one, other) => placeOf(one) - placeOf(other))
}

/** An error of one value, as the service would answer. */
const faultAt = (column: string, issue: Partial<Issue> = {}): ApiProblem => {
  const { code = '', message = '' } = issue
  return new ApiProblem(422, {
    code,
    detail: message,
    errors: [{ message, ...issue, path: column }],
  })
}

/** A text that was pasted and names no record. */
const isNoRecord = (value: unknown, field: Field): boolean =>
  kindOf(field).isLink === true && typeof value === 'string'

type Sent = { readonly error: Error | null; readonly lines: readonly LineDraft[] }

/** What the service said of the lines that were sent, by line and column; '' is the whole line. */
const refusals = (listKey: string, { error, lines }: Sent) => {
  if (!(error instanceof ApiProblem)) return []
  const bodies = sentLines(lines)
  return error.issues.flatMap((issue) => {
    const [start, list, operation, at, column = ''] =
      /^(\w+)\.(create|change|remove)\[(\d+)\]\.?(.*)$/.exec(issue.path) ?? []
    const line =
      start !== undefined && list === listKey
        ? bodies[operation as keyof typeof bodies][Number(at)]
        : undefined
    return line ? [{ line, column, issue: { code: error.code, ...issue } }] : []
  })
}

/** What is wrong with lines as wholes, by their keys. */
export const lineFaults = (listKey: string, sent: Sent): ReadonlyMap<number, string> =>
  new Map(
    refusals(listKey, sent)
      // One that has changed meanwhile is read again, and what is typed stays.
      .filter(({ column, issue }) => issue.code !== 'record.stale' && /^(id)?$/.test(column))
      .map(({ line, issue }) => [line.key, issue.message]),
  )

type Checked = {
  readonly related: TypedList
  readonly sent: Sent
  /** Whether empty cells that need a value are faults already. */
  readonly isWhole: boolean
}

/** The cells whose values cannot be saved, with the reasons. */
export const cellFaults = (
  rows: readonly LineRow[],
  { related, sent, isWhole }: Checked,
): CellEdits => {
  const { child, field: list } = related
  const said = refusals(list.key, sent)
  const entered = enteredColumns(related)
  const faults = rows.flatMap(({ row, saved, line }, index) => {
    if (!line || line.isRemoved) return []
    return entered.flatMap(({ listColumn, field, column }): [string, CellEdit][] => {
      const mine = row[column]
      const refused = said.find((one) => one.line.key === line.key && one.column === column)
      const isAsSent = refused && isSame(refused.line.values[column], line.values[column])
      const isMissing =
        isWhole && field.required === true && isBlank(mine) && isBlank(field.default)
      const isTouched = column in line.values || !saved
      const error =
        refused && isAsSent
          ? faultAt(column, refused.issue)
          : isTouched && (isMissing || isFaulty(mine, field) || isNoRecord(mine, field))
            ? faultAt(column)
            : undefined
      const theirs = saved?.[column]
      const isConflict =
        saved !== undefined &&
        column in line.values &&
        !isSame(line.before[column], theirs) &&
        !isSame(mine, theirs)
      if (!error && !isConflict) return []
      const edit: CellEdit = {
        place: { row: index, column: related.typed.indexOf(listColumn) },
        name: lineName(child, { row, saved }) ?? `${index + 1}`,
        row,
        listColumn,
        field,
        column,
        base: saved?.[column] ?? null,
        mine,
        linked: line.names[column],
        state:
          isConflict && saved
            ? { kind: 'conflict', row: saved }
            : { kind: 'refused', error: error ?? faultAt(column) },
      }
      return [[cellKey(row.id, listColumn), edit]]
    })
  })
  return new Map(faults)
}

/** Whether a column of a row was changed and not saved. */
export const isTyped = ({ saved, line }: LineRow, { link, path }: ListColumn): boolean =>
  saved !== undefined && line !== undefined && (link ? link.idColumn : path) in line.values
