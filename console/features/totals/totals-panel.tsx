/** Sum, average, smallest and largest value of a column, of the selected records and of all that match. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { aggregates, totalsQuery, type UnitTotals } from '../../api/totals.ts'
import type { Criteria, Entity } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import type { ListSearch } from '../grid/list-state.ts'
import { everything, isEmpty, matching } from '../grid/selection.ts'
import { firstAddable, formatTotal, settleMs } from '../grid/totalled.ts'
import type { ListSelection } from '../grid/use-selection.ts'
import { useReading } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import { useDelayed } from '../values/use-delayed.ts'
import './totals.css'

type PanelProps = {
  readonly entity: Entity
  /** Those that can be added up, the shown ones first. */
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly selected: ListSelection
}

export const TotalsPanel = ({ entity, columns, search, selected }: PanelProps): ReactNode => {
  const texts = useWorkTexts().totals
  const [path, setPath] = useState(firstAddable(columns)?.path)
  const selection = useDelayed(selected.selection, settleMs)
  const column = columns.find((one) => one.path === path) ?? columns[0]
  if (!column) return null
  const row = { entity, column }
  return (
    <section className="totals" aria-label={texts.title}>
      <select
        aria-label={texts.column}
        value={column.path}
        onChange={({ target }) => setPath(target.value)}
      >
        {columns.map((one) => (
          <option key={one.path} value={one.path}>
            {one.label}
          </option>
        ))}
      </select>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.of}</th>
            {aggregates.map((name) => (
              <th key={name} scope="col">
                {texts.names[name]}
              </th>
            ))}
            <th scope="col">{texts.count}</th>
          </tr>
        </thead>
        {!isEmpty(selection) && (
          <TotalsRows {...row} name={texts.selected} criteria={matching(selection, search)} />
        )}
        <TotalsRows {...row} name={texts.all} criteria={matching(everything, search)} />
      </table>
    </section>
  )
}

type RowsProps = {
  readonly entity: Entity
  readonly column: ListColumn
  readonly name: string
  readonly criteria: Pick<Criteria, '$where' | '$search'>
}

/** A row for each unit: numbers of different units are not added up. */
const TotalsRows = ({ entity, column, name, criteria }: RowsProps): ReactNode => {
  const texts = useWorkTexts().totals
  const { path, unit } = column
  const { data, error } = useQuery(totalsQuery({ entity: entity.key, criteria, path }, unit?.path))
  const totals: readonly (UnitTotals | undefined)[] = data?.totals ?? [undefined]
  if (error)
    return (
      <tbody>
        <tr>
          <th scope="row">{name}</th>
          <td colSpan={aggregates.length + 1} role="alert">
            {error.message}
          </td>
        </tr>
      </tbody>
    )
  return (
    <tbody>
      {totals.map((one, at) => (
        <tr key={String(one?.unit)}>
          <th scope="row">
            <span className={at > 0 ? 'visually-hidden' : undefined}>{name}</span>
          </th>
          <Results column={column} totals={one} />
        </tr>
      ))}
      {data?.isComplete === false && (
        <tr>
          <td colSpan={aggregates.length + 2}>{texts.unitsIncomplete(totals.length)}</td>
        </tr>
      )}
    </tbody>
  )
}

type ResultsProps = { readonly column: ListColumn; readonly totals: UnitTotals | undefined }

const Results = ({ column, totals }: ResultsProps): ReactNode => {
  const reading = useReading()
  const textOf = (name: (typeof aggregates)[number]) =>
    formatTotal(totals?.[name]?.[column.path], name, column, reading, totals?.unit)
  return (
    <>
      {aggregates.map((name) => (
        <td key={name}>{textOf(name) || '–'}</td>
      ))}
      <td>{totals && new Intl.NumberFormat(reading.locale).format(totals.count)}</td>
    </>
  )
}
