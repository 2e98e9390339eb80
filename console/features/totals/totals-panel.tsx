/** Totals in the foot of a list: of a column, of the selected records, and a warning if a list is sorted by mixed units. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { aggregates, groupsQuery, totalsQuery, type UnitTotals } from '../../api/totals.ts'
import type { Criteria, Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { unitTextOf } from '../format/format-value.ts'
import { type ListSearch, sortingsOf, withOrder } from '../grid/list-state.ts'
import {
  everything,
  isEmpty,
  type ListSelection,
  matching,
  type Selection,
} from '../grid/selection.ts'
import { firstAddable, formatTotal, settleMs, UnitSums } from '../grid/unit-sums.tsx'
import { useReading, useSession } from '../session/session.ts'
import { columnsAt, type ListColumn } from '../values/columns.ts'
import { useDelayed } from '../values/use-delayed.ts'
import './totals.css'

type PanelProps = {
  readonly entity: Entity
  /** The columns that can be added up, those of the list first. */
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly selected: ListSelection
}

/** Sum, average, smallest and largest value of a column, of the selected records and of all that match. */
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

/** A row for each unit, because numbers of different units are not added up. */
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

type SelectedProps = {
  readonly entity: Entity
  readonly search: ListSearch
  readonly selection: Selection
}

/** The sums of the selected records. */
export const SelectedSums = ({ entity, search, selection }: SelectedProps): ReactNode => {
  const settled = useDelayed(selection, settleMs)
  return (
    <UnitSums entity={entity} criteria={matching(settled, search)} isOld={settled !== selection} />
  )
}

type MixedProps = {
  readonly entity: Entity
  readonly search: ListSearch
  readonly onChange: (search: ListSearch) => void
  readonly column: ListColumn
  readonly unitPath: string
}

const maxUnits = 3

/** Says that a list is sorted by numbers of different units, and offers to sort it by the unit first. */
export const MixedOrder = (props: MixedProps): ReactNode => {
  const { entity, search, column, unitPath, onChange } = props
  const texts = useWorkTexts().totals
  const { entities } = useSession()
  const criteria = matching(everything, search)
  const query = { entity: entity.key, criteria, path: undefined }
  const { data } = useQuery(groupsQuery(query, [unitPath]))
  const [unit] = columnsAt([unitPath], entity, entities)
  const units = (data?.groups ?? []).flatMap(
    ({ key }) => unitTextOf(key[unitPath], unit?.field) ?? [],
  )
  if (units.length < 2) return null
  const more = units.length > maxUnits ? ' …' : ''
  const orderByUnit = () =>
    onChange(withOrder(search, [{ path: unitPath, isDescending: false }, ...sortingsOf(search)]))
  return (
    <p className="mixed-order" role="status" dir="auto">
      <span>{texts.mixedOrder(column.label, `${units.slice(0, maxUnits).join(', ')}${more}`)}</span>
      {unit && (
        <Button look="quiet" onClick={orderByUnit}>
          {texts.orderFirst(unit.label)}
        </Button>
      )}
    </p>
  )
}
