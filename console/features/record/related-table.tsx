/** The first records that link to one, with a way to all of them and to a new one. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { relatedQuery } from '../../api/record.ts'
import type { RecordRow } from '../../api/types.ts'
import { EmptyNote, ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { isNumeric } from '../format/format-value.ts'
import { ListCell } from '../grid/list-cell.tsx'
import { UnitSums } from '../grid/unit-sums.tsx'
import { StaleNote } from '../session/stale-note.tsx'
import { labelOf } from '../values/columns.ts'
import { type Related, requestOf, searchOf } from './related.ts'
import './related-table.css'

type TableProps = {
  readonly related: Related
  /** Of the record that they link to. */
  readonly id: number
  /** Whether one more may be created. */
  readonly mayCreate: boolean
}

export const RelatedTable = ({ related, id, mayCreate }: TableProps): ReactNode => {
  const { record } = useTexts()
  const recordPage = useRecordPageTexts()
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
              data-numeric={isNumeric(column.field) || undefined}
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
              <td key={column.path} data-numeric={isNumeric(column.field) || undefined}>
                <ListCell row={row} column={column} entity={child} isTabStop />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
