/** The first records that link to one, with links to all of them and to a new one. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type RelatedList, relatedQuery } from '../../api/record.ts'
import type { Entity, Field, RecordRow } from '../../api/types.ts'
import { EmptyNote, ProblemNote, StaleNote, Waiting } from '../../parts/notes.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { kindOf } from '../format/field-kinds.ts'
import { ListCell } from '../grid/list-cell.tsx'
import { type ListSearch, orderOf } from '../grid/list-state.ts'
import { UnitSums } from '../grid/unit-sums.tsx'
import { columnsAt, type Entities, type ListColumn, labelOf, pathsOf } from '../values/columns.ts'
import { defaultPaths } from '../values/main-columns.ts'
import './record.css'

type TableProps = {
  readonly related: Related
  /** The record that they link to. */
  readonly id: number
  /** Whether one more may be created. */
  readonly mayCreate: boolean
}

export const RelatedTable = ({ related, id, mayCreate }: TableProps): ReactNode => {
  const { record } = useTexts()
  const recordPage = useWorkTexts().record
  const found = useQuery(relatedQuery(requestOf(related, id)))
  const retry = () => void found.refetch()
  if (!found.data)
    return found.error ? <ProblemNote error={found.error} onRetry={retry} /> : <Waiting />
  const { rows, total } = found.data
  const { child, column } = related
  return (
    <section className="related" aria-label={labelOf(related.field)}>
      <StaleNote error={found.error} onRetry={retry} />
      <header className="related-head">
        {total > 0 && (
          <Link to="/$entity" params={{ entity: child.key }} search={searchOf(related, id)}>
            {recordPage.all(total)}
          </Link>
        )}
        {total > 0 && <UnitSums entity={child} criteria={{ $where: { [column]: id } }} isNamed />}
        {mayCreate && (
          <Link
            to="/$entity/new"
            params={{ entity: child.key }}
            search={{ values: { [column]: id } }}
            className="button"
          >
            <span dir="auto">{record.newOf(child.name)}</span>
          </Link>
        )}
      </header>
      {rows.length === 0 ? (
        <EmptyNote title={recordPage.noRelated} />
      ) : (
        <Table related={related} rows={rows} />
      )}
    </section>
  )
}

type RowsProps = { readonly related: Related; readonly rows: readonly RecordRow[] }

const Table = ({ related: { child, columns }, rows }: RowsProps): ReactNode => (
  <div className="related-scroll">
    <table className="related-table">
      <thead>
        <tr>
          {columns.map((column) => (
            <th
              key={column.path}
              scope="col"
              dir="auto"
              data-numeric={kindOf(column.field).isNumber || undefined}
            >
              {column.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            {columns.map((column) => (
              <td key={column.path} data-numeric={kindOf(column.field).isNumber || undefined}>
                <ListCell row={row} column={column} entity={child} isTabStop />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

type Related = {
  readonly field: Field
  readonly child: Entity
  /** The column of the child that links here. */
  readonly column: string
  readonly columns: readonly ListColumn[]
}

// The list of the entity shows all columns, also of linked records.
const maxColumns = 7

/** The one-to-many fields of an entity whose records the user may read. */
export const relatedOf = (entity: Entity, entities: Entities): readonly Related[] =>
  entity.fields.flatMap((field) => {
    const child = kindOf(field).isList ? entities.get(field.entity ?? '') : undefined
    const link = child?.fields.find(({ key }) => key === field.mappedBy)
    if (!child || child.permissions.read === false || !link || link.column === null) return []
    const { column } = link
    const { displayField, exportSettings } = child
    // Chosen by importance and shown in the order of the definition: an amount after the values that it is made of.
    const order = [displayField, ...exportSettings.columnDefs.map((one) => one.field)]
    const placeOf = (path: string) => (order.includes(path) ? order.indexOf(path) : order.length)
    const columns = columnsAt(defaultPaths(child, entities), child, entities)
      .filter(({ place }) => place[0] !== link.key)
      .filter(({ place, link: behind }) => place.length === 1 || behind)
      .slice(0, maxColumns)
      .toSorted((one, other) => placeOf(one.path) - placeOf(other.path))
    return [{ field, child, column, columns }]
  })

/** The request for the records that link to one. */
export const requestOf = (related: Related, id: number): RelatedList => ({
  entity: related.child.key,
  column: related.column,
  id,
  paths: [...new Set(['id', related.child.displayField, ...related.columns.flatMap(pathsOf)])],
  order: orderOf(searchOf(related, id)),
})

/** The list of all records that link to one: those with a workflow newest first, others as they were entered. */
const searchOf = ({ child, column }: Related, id: number): ListSearch => ({
  w: { [column]: id },
  ...(child.workflow === null && { s: ['id'] }),
})
