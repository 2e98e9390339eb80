/** The form of a whole filter: groups inside of groups, each of conditions that all or any must match. */
import { type FormEvent, type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Condition, Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import { focusFault, isReady } from './condition-fields.tsx'
import { type Draft, type DraftGroup, draftOf, rulesOf, whereOf } from './filter-draft.ts'
import { filterFieldAt } from './filter-fields.ts'
import { GroupForm } from './group-form.tsx'
import './filter-dialog.css'

type DialogProps = {
  readonly entity: Entity
  /** The columns of the list. */
  readonly columns: readonly ListColumn[]
  readonly where: Condition | undefined
  readonly onChange: (where: Condition | undefined) => void
  readonly onClose: () => void
}

export const FilterDialog = (props: DialogProps): ReactNode => {
  const { entity, columns, where, onChange, onClose } = props
  const texts = useWorkTexts().filter
  const { entities } = useSession()
  const [draft, setDraft] = useState<DraftGroup>(() => draftOf(where))
  const [isChecked, setIsChecked] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const isRead = event.currentTarget.checkValidity()
    const isWhole = rulesOf(draft).every(({ rule, isNegated }) =>
      isReady(rule, filterFieldAt(rule.path, entity, entities), isNegated),
    )
    if (!isRead || !isWhole) {
      flushSync(() => setIsChecked(true))
      focusFault(event.currentTarget)
      return
    }
    onChange(whereOf(draft))
    onClose()
  }
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <form className="filter-form" noValidate onSubmit={submit}>
        <GroupForm
          entity={entity}
          columns={columns}
          isChecked={isChecked}
          group={draft}
          level={1}
          onChange={(next: Draft) => next.kind === 'group' && setDraft(next)}
        />
        <DialogActions onCancel={onClose}>
          <Button type="submit" look="primary">
            {texts.apply}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
