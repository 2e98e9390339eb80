/** Says that a list is in the order of numbers of different units, and offers to order it by the unit first. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { groupsQuery } from '../../api/totals.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { unitTextOf } from '../format/format-value.ts'
import { type ListSearch, sortingsOf, withOrder } from '../grid/list-state.ts'
import { everything, matching } from '../grid/selection.ts'
import { useSession } from '../session/session.ts'
import { columnsAt, type ListColumn } from '../values/columns.ts'
import './mixed-order.css'

export type MixedProps = {
  readonly entity: Entity
  readonly search: ListSearch
  readonly onChange: (search: ListSearch) => void
}

const mostUnits = 3

export const MixedOrder = (
  props: MixedProps & { readonly column: ListColumn; readonly unitPath: string },
): ReactNode => {
  const { entity, search, column, unitPath, onChange } = props
  const texts = useWorkTexts().totals
  const { entities } = useSession()
  const criteria = matching(everything, search)
  const wanted = { entity: entity.key, criteria, path: undefined }
  const { data } = useQuery(groupsQuery(wanted, [unitPath]))
  const [unit] = columnsAt([unitPath], entity, entities)
  const units = (data?.groups ?? []).flatMap(
    ({ key }) => unitTextOf(key[unitPath], unit?.field) ?? [],
  )
  if (units.length < 2) return null
  const more = units.length > mostUnits ? ' …' : ''
  const orderByUnit = () =>
    onChange(withOrder(search, [{ path: unitPath, isDescending: false }, ...sortingsOf(search)]))
  return (
    <p className="mixed-order" role="status" dir="auto">
      <span>
        {texts.mixedOrder(column.label, `${units.slice(0, mostUnits).join(', ')}${more}`)}
      </span>
      {unit && (
        <Button look="quiet" onClick={orderByUnit}>
          {texts.orderFirst(unit.label)}
        </Button>
      )}
    </p>
  )
}
