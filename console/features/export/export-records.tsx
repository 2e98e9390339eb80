/** Which records an export has: how many, by which filter, all or the selected ones. */
import type { ReactNode } from 'react'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { describeFilter } from '../filter/describe-filter.ts'
import { parseFilter, simplest } from '../filter/filter.ts'
import { useWording } from '../filter/use-wording.ts'
import { type Choice, Radio } from './export-form.tsx'
import type { ExportedList } from './exported-list.ts'
import { exportsOwnOnly } from './use-export-count.ts'

type RecordsProps = {
  readonly list: ExportedList
  readonly rows: Choice['rows']
  /** Of the records that the file will have. */
  readonly count: number | undefined
  readonly isDisabled: boolean
  readonly onRows: (rows: Choice['rows']) => void
}

export const ExportRecords = (props: RecordsProps): ReactNode => {
  const { list, rows, count, isDisabled, onRows } = props
  const texts = useTexts()
  const exportTexts = useWorkTexts().export
  return (
    <div className="export-records">
      {list.selected === undefined ? (
        <p>
          <strong>{count !== undefined && texts.list.rows(count)}</strong>
        </p>
      ) : (
        <fieldset disabled={isDisabled}>
          <legend>{exportTexts.rows}</legend>
          <Radio
            name="rows"
            isChosen={rows === 'selected'}
            label={exportTexts.rowsSelected(list.selected.count ?? 0)}
            onChoose={() => onRows('selected')}
          />
          <Radio
            name="rows"
            isChosen={rows === 'all'}
            label={exportTexts.rowsAll(list.count ?? 0)}
            onChoose={() => onRows('all')}
          />
        </fieldset>
      )}
      <Filter {...list} />
      {exportsOwnOnly(list.entity) && <p>{exportTexts.ownOnly}</p>}
    </div>
  )
}

/** What the records have in common, in words. */
const Filter = ({ entity, search }: ExportedList): ReactNode => {
  const texts = useWorkTexts().export
  const wording = useWording(entity, search.w)
  const filter = search.w && parseFilter(search.w)
  const words = filter ? describeFilter(simplest(filter), wording) : JSON.stringify(search.w)
  if (search.w === undefined && search.q === undefined) return <p>{texts.noFilter}</p>
  return (
    <>
      {search.q !== undefined && <p dir="auto">{texts.search(search.q)}</p>}
      {search.w && <p dir="auto">{texts.filter(words)}</p>}
    </>
  )
}
