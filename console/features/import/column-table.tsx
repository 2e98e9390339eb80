/** The columns of a file: examples of each, and the field that it goes to. */
import { type ReactNode, useId, useMemo } from 'react'
import type {
  ColumnChoice,
  ImportColumn,
  ImportLook,
  ImportSettings,
} from '../../api/records/imports.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Choice } from '../../parts/choice.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { ScrolledBody } from '../../parts/sections.tsx'
import { useReading, useSession } from '../session/session.ts'
import { useImportTexts } from './import-texts.ts'
import { pathLabel, valueText } from './import-words.ts'

type Columns = ImportSettings['columns']

/** In place of a head: all others whose heads are not known. */
const otherColumns = '*'

type TableProps = {
  readonly entity: Entity
  readonly look: ImportLook
  readonly columns: Columns
  readonly onChange: (columns: Columns) => void
}

export const ColumnTable = ({ entity, look, columns, onChange }: TableProps): ReactNode => {
  const texts = useImportTexts().columns
  const { entities } = useSession()
  const { targets } = look
  // A wide file has as many lists of them as columns.
  const options = useMemo(
    () =>
      targets.map((one) => (
        <option key={one} value={one}>
          {pathLabel(one, { entity, entities })}
        </option>
      )),
    [targets, entity, entities],
  )
  const open = look.columns.filter(({ isUnknown }) => isUnknown)
  const change = (head: string, choice: ColumnChoice | null) =>
    onChange({ ...columns, [head]: choice })
  return (
    <>
      {open.length > 1 && (
        <Button onClick={() => onChange({ ...columns, [otherColumns]: null })}>
          {texts.leaveOutAll(open.length)}
        </Button>
      )}
      <DataTable
        label={texts.title}
        rows={look.columns}
        keyOf={({ position }) => position}
        columns={[
          { key: 'head', label: texts.head, render: ({ head }) => <b dir="auto">{head}</b> },
          {
            key: 'samples',
            label: texts.samples,
            isWide: true,
            render: ({ samples }) => <span dir="auto">{samples.join(' · ')}</span>,
          },
          {
            key: 'field',
            label: texts.field,
            render: (column) => (
              <FieldCell
                column={column}
                options={options}
                other={
                  column.path === null || targets.includes(column.path)
                    ? undefined
                    : pathLabel(column.path, { entity, entities })
                }
                chosen={targets.find((one) => one === columns[column.head]?.field)}
                isLeftOut={columns[column.head] === null}
                onChange={(choice) => change(column.head, choice)}
              />
            ),
          },
        ]}
      />
    </>
  )
}

type CellProps = {
  readonly column: ImportColumn
  /** The fields that are offered. */
  readonly options: ReactNode
  /** What the field is called that it goes to, if that is none of them. */
  readonly other: string | undefined
  /** The field that the user has chosen, to which the service may not have answered yet. */
  readonly chosen: string | undefined
  readonly isLeftOut: boolean
  readonly onChange: (choice: ColumnChoice | null) => void
}

const leftOut = '-'

const FieldCell = (props: CellProps): ReactNode => {
  const { options, other, isLeftOut, onChange } = props
  const { head, issue } = props.column
  const path = props.chosen ?? props.column.path
  const texts = useImportTexts().columns
  const issueId = useId()
  const value = isLeftOut ? leftOut : (path ?? (issue === null ? leftOut : ''))
  const isInvalid = issue !== null && !isLeftOut
  return (
    <div className="import-cell">
      <select
        className="field-input"
        aria-label={texts.fieldOf(head)}
        aria-invalid={isInvalid || undefined}
        aria-describedby={isInvalid ? issueId : undefined}
        value={value}
        onChange={({ target }) =>
          onChange(target.value === leftOut ? null : { field: target.value })
        }
      >
        {value === '' && <option value="">{texts.choose}</option>}
        <option value={leftOut}>{texts.leaveOut}</option>
        {other !== undefined && <option value={props.column.path ?? ''}>{other}</option>}
        {options}
      </select>
      <Forms column={{ ...props.column, path }} onChange={onChange} />
      {isInvalid && (
        <small id={issueId} className="removed-refused" dir="auto">
          {props.column.isUnknown ? texts.unknown : issue}
        </small>
      )}
    </div>
  )
}

const marks = { point: '.', comma: ',' } as const

/** How its numbers or its days are written, where it has some. */
const Forms = ({ column, onChange }: Pick<CellProps, 'column' | 'onChange'>): ReactNode => {
  const texts = useImportTexts().columns
  const { head, path, hasDecimals, decimal, hasDates, dates } = column
  if (path === null || !(hasDecimals || hasDates)) return null
  const [label, names, chosen] = hasDecimals
    ? [texts.decimal(head), texts.decimals, decimal]
    : [texts.dates(head), texts.dayOrders, dates]
  const choose = (value: string | undefined): ColumnChoice => {
    if (value === undefined) return { field: path }
    return hasDecimals
      ? { field: path, decimal: marks[value as keyof typeof marks] }
      : { field: path, dates: value }
  }
  return (
    <Choice
      aria-label={label}
      value={chosen ?? undefined}
      none={texts.found}
      options={Object.entries(names)}
      onChange={(value) => onChange(choose(value))}
    />
  )
}

// The first rows of a file as their records will be.

type PreviewProps = { readonly entity: Entity; readonly look: ImportLook }

export const RowPreview = ({ entity, look }: PreviewProps): ReactNode => {
  const texts = useImportTexts().preview
  const { entities } = useSession()
  const reading = useReading()
  const paths = look.columns.flatMap(({ path }) => path ?? [])
  if (paths.length === 0 || look.rows.length === 0) return null
  return (
    <>
      <h3>{texts.title}</h3>
      <ScrolledBody label={texts.title} className="export-sheet">
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.row}</th>
              {paths.map((path) => (
                <th key={path} scope="col" dir="auto">
                  {pathLabel(path, { entity, entities })}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {look.rows.map(({ row, fault, cells }) => (
              <tr key={row}>
                <th scope="row">{row}</th>
                {fault === null ? (
                  cells.map((cell, at) => (
                    <td key={paths[at]} dir="auto">
                      {valueText(cell.value, paths[at] ?? '', { entity, entities }, reading)}
                      {cell.fault !== null && (
                        <small className="removed-refused">{cell.fault}</small>
                      )}
                    </td>
                  ))
                ) : (
                  <td colSpan={paths.length} dir="auto">
                    <small className="removed-refused">{fault}</small>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrolledBody>
    </>
  )
}
