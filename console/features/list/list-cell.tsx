/** A value in a list, as its type is read; links lead to their records. */
import type { ReactNode } from 'react'
import type { Entity, RecordRow } from '../../api/types.ts'
import { RecordLink } from '../preview/record-link.tsx'
import { useReading } from '../session/session.ts'
import { valueAt } from '../values/format-value.ts'
import { type ListColumn, textAt } from './columns.ts'

type CellProps = {
  readonly row: RecordRow
  readonly column: ListColumn
  readonly entity: Entity
  /** Whether its link is reached by the Tab key. */
  readonly isTabStop?: boolean
}

export const ListCell = ({ row, column, entity, isTabStop = false }: CellProps): ReactNode => {
  const reading = useReading()
  if (column.path === '_step') return <Step entity={entity} step={valueAt(row, column.place)} />
  const text = textAt(row, column, reading)
  const target = targetOf(row, column, entity)
  if (!target)
    return (
      <span dir="auto" title={text}>
        {text}
      </span>
    )
  // The keys of a grid open records; a link inside of it is for the mouse.
  const tabIndex = isTabStop ? 0 : -1
  return (
    <RecordLink {...target} tabIndex={tabIndex}>
      {text || target.id}
    </RecordLink>
  )
}

/** The record that a cell leads to: the row's own by its name, or the one behind a link. */
const targetOf = (row: RecordRow, { path, link, leads }: ListColumn, entity: Entity) => {
  if (leads || path === entity.displayField) return { entity: entity.key, id: row.id }
  const id = link && row[link.idColumn]
  return link && typeof id === 'number' ? { entity: link.entity, id } : undefined
}

type StepProps = { readonly entity: Entity; readonly step: unknown }

const Step = ({ entity, step }: StepProps): ReactNode => {
  const found = entity.workflow?.steps.find(({ key }) => key === step)
  return (
    <span className="step-badge" dir="auto">
      {found?.name ?? String(step ?? '')}
    </span>
  )
}
