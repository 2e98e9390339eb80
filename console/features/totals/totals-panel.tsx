/** Sum, average, smallest and largest value of a column, of the selected records and of all that match. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { aggregates, totalsQuery } from '../../api/totals.ts'
import type { Criteria, Entity } from '../../api/types.ts'
import { useTotalsTexts } from '../../texts/totals/texts.ts'
import type { ListColumn } from '../list/columns.ts'
import type { ListSearch } from '../list/list-state.ts'
import { everything, isEmpty, matching } from '../selection/selection.ts'
import type { ListSelection } from '../selection/use-selection.ts'
import { useReading } from '../session/session.ts'
import { useDelayed } from '../values/use-delayed.ts'
import { formatTotal } from './addable.ts'
import './totals.css'

type PanelProps = {
  readonly entity: Entity
  /** Those that can be added up, the shown ones first. */
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly selected: ListSelection
}

// Ranges are selected key by key.
const settleMs = 200

export const TotalsPanel = ({ entity, columns, search, selected }: PanelProps): ReactNode => {
  const texts = useTotalsTexts()
  const [path, setPath] = useState(columns[0]?.path)
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
        <tbody>
          {!isEmpty(selection) && (
            <TotalsRow {...row} name={texts.selected} criteria={matching(selection, search)} />
          )}
          <TotalsRow {...row} name={texts.all} criteria={matching(everything, search)} />
        </tbody>
      </table>
    </section>
  )
}

type RowProps = {
  readonly entity: Entity
  readonly column: ListColumn
  readonly name: string
  readonly criteria: Pick<Criteria, '$where' | '$search'>
}

const TotalsRow = ({ entity, column, name, criteria }: RowProps): ReactNode => {
  const reading = useReading()
  const { path } = column
  const { data, error } = useQuery(totalsQuery({ entity: entity.key, criteria, path }))
  if (error)
    return (
      <tr>
        <th scope="row">{name}</th>
        <td colSpan={aggregates.length + 1} role="alert">
          {error.message}
        </td>
      </tr>
    )
  return (
    <tr>
      <th scope="row">{name}</th>
      {aggregates.map((one) => (
        <td key={one}>{formatTotal(data?.[one]?.[path], one, column, reading) || '–'}</td>
      ))}
      <td>{data && new Intl.NumberFormat(reading.locale).format(data.count)}</td>
    </tr>
  )
}
