/** The form of a whole filter: groups inside of groups, each of conditions that all or any must match. */
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Condition, Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useFilterTexts } from '../../texts/filter/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import type { ListColumn } from '../list/columns.ts'
import { type Draft, type DraftGroup, draftOf, whereOf } from './filter-draft.ts'
import { GroupForm } from './group-form.tsx'
import './filter-dialog.css'

type DialogProps = {
  readonly entity: Entity
  /** Those that can be filtered by. */
  readonly columns: readonly ListColumn[]
  readonly where: Condition | undefined
  readonly onChange: (where: Condition | undefined) => void
  readonly onClose: () => void
}

export const FilterDialog = (props: DialogProps): ReactNode => {
  const { entity, columns, where, onChange, onClose } = props
  const texts = useFilterTexts()
  const { common, filter } = useTexts()
  const [draft, setDraft] = useState<DraftGroup>(() => draftOf(where))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onChange(whereOf(draft))
    onClose()
  }
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <form className="filter-form" onSubmit={submit}>
        <GroupForm
          {...{ entity, columns }}
          group={draft}
          level={1}
          onChange={(next: Draft) => next.kind === 'group' && setDraft(next)}
        />
        <div className="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" look="primary">
            {filter.apply}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
