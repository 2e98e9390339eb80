/** The first records that link to one, with links to all of them and to a new one; as lines where the user may write them. */

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import { relatedQuery } from '../../api/record.ts'
import type { RecordRow } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyNote, ProblemNote, StaleNote, Waiting } from '../../parts/notes.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { kindOf } from '../format/field-kinds.ts'
import { ListCell } from '../grid/list-cell.tsx'
import { UnitSums } from '../grid/unit-sums.tsx'
import type { LineDraft } from './line-drafts.ts'
import { type LinesBar, LinesSection } from './lines-section.tsx'
import { type Related, requestOf, searchOf } from './related.ts'
import type { LineRights } from './use-lines.ts'
import './lines.css'

/** The draft of the record with which lines are saved. */
export type EditedLines = LinesBar & {
  readonly lines: readonly LineDraft[]
  readonly sent: readonly LineDraft[]
  readonly onLines: (lines: readonly LineDraft[]) => void
}

type TableProps = {
  readonly related: Related
  /** The record that they link to. */
  readonly id: number
  /** Whether one more may be created. */
  readonly mayCreate: boolean
  /** Undefined: the user does not write them with the record. */
  readonly edited: EditedLines | undefined
}

export const RelatedTable = ({ related, id, mayCreate, edited }: TableProps): ReactNode => {
  const recordPage = useWorkTexts().record
  const { showAll } = useWorkTexts().lines
  const [isWhole, setIsWhole] = useState(false)
  const found = useQuery({
    ...relatedQuery(requestOf(related, id, isWhole)),
    placeholderData: keepPreviousData,
  })
  const retry = () => void found.refetch()
  if (!found.data)
    return found.error ? <ProblemNote error={found.error} onRetry={retry} /> : <Waiting />
  const { rows, total } = found.data
  const { child, column } = related
  const head = (
    <>
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
          <span dir="auto">{recordPage.newOf(child.name)}</span>
        </Link>
      )}
    </>
  )
  const stale = <StaleNote error={found.error} onRetry={retry} />
  if (edited)
    return (
      <LinesSection
        form={{ related, saved: rows, rights: rightsOf(related, mayCreate), ...edited }}
        bar={edited}
        head={head}
        more={
          total > rows.length &&
          !isWhole && <Button onClick={() => setIsWhole(true)}>{showAll(total)}</Button>
        }
      >
        {stale}
      </LinesSection>
    )
  return (
    <section className="related" aria-label={labelOf(related.field)}>
      {stale}
      <header className="related-head">{head}</header>
      {rows.length === 0 ? (
        <EmptyNote title={recordPage.noRelated} />
      ) : (
        <Table related={related} rows={rows} />
      )}
    </section>
  )
}

const rightsOf = ({ child: { permissions } }: Related, mayCreate: boolean): LineRights => ({
  mayCreate,
  mayChange: permissions.update !== false,
  mayRemove: permissions.delete !== false,
})

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
