/** A value in a list, as its type is read; links lead to their records. */
import { lazy, type ReactNode, Suspense, use } from 'react'
import type { Entity, RecordRow } from '../../api/types.ts'
import { WordsContext } from '../marked/words.ts'
import { RecordLink } from '../preview/record-link.tsx'
import { useReading } from '../session/session.ts'
import { valueAt } from '../values/format-value.ts'
import { StepBadge } from '../workflow/step-badge.tsx'
import { type ListColumn, textAt } from './columns.ts'

const MarkedCell = lazy(async () => ({
  default: (await import('../marked/marked-cell.tsx')).MarkedCell,
}))

type CellProps = {
  readonly row: RecordRow
  readonly column: ListColumn
  readonly entity: Entity
  /** Whether its link is reached by the Tab key. */
  readonly isTabStop?: boolean
}

export const ListCell = ({ row, column, entity, isTabStop = false }: CellProps): ReactNode => {
  const reading = useReading()
  const words = use(WordsContext)
  if (column.path === '_step')
    return <StepBadge entity={entity} step={valueAt(row, column.place)} />
  const text = textAt(row, column, reading)
  const shown =
    words === '' || text === '' ? (
      text
    ) : (
      <Suspense fallback={text}>
        <MarkedCell {...{ row, column, text, words }} />
      </Suspense>
    )
  const target = targetOf(row, column, entity)
  if (!target)
    return (
      <span dir="auto" title={text}>
        {shown}
      </span>
    )
  // The keys of a grid open records; a link inside of it is for the mouse.
  const tabIndex = isTabStop ? 0 : -1
  return (
    <RecordLink {...target} tabIndex={tabIndex}>
      {shown || target.id}
    </RecordLink>
  )
}

/** The record that a cell leads to: the row's own by its name, or the one behind a link. */
const targetOf = (row: RecordRow, { path, link, leads }: ListColumn, entity: Entity) => {
  if (leads || path === entity.displayField) return { entity: entity.key, id: row.id }
  const id = link && row[link.idColumn]
  return link && typeof id === 'number' ? { entity: link.entity, id } : undefined
}
