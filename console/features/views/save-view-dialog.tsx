/** Saves what a list shows under a name, for oneself or for others. */
import { type FormEvent, type ReactNode, useId } from 'react'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import type { ListSearch } from '../grid/list-state.ts'
import { useSession } from '../session/session.ts'
import { useViewChanges } from './view-changes.ts'
import { ViewName } from './view-name.tsx'
import type { Sharing } from './views.ts'
import '../forms/forms.css'

type DialogProps = {
  readonly entity: Entity
  readonly search: ListSearch
  readonly onClose: () => void
  readonly onSaved: (id: number) => void
}

const sharings: readonly Sharing[] = ['me', 'role', 'all']

export const SaveViewDialog = ({ entity, search, onClose, onSaved }: DialogProps): ReactNode => {
  const { views, common } = useTexts()
  const texts = useWorkTexts().views
  const { me, entities } = useSession()
  const { create } = useViewChanges(entity.key)
  const id = useId()
  // Who may change the views of others may make views for them.
  const mayShare = entities.get('saved_view')?.permissions.update === true
  const roleId = typeof me.security_role_id === 'number' ? me.security_role_id : undefined
  const offered = sharings.filter((one) => one !== 'role' || roleId !== undefined)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const sharing = sharings.find((one) => one === form.get('sharing')) ?? 'me'
    const name = String(form.get('name')).trim()
    const saved = await create.mutateAsync({ name, sharing, roleId, search }).catch(() => undefined)
    if (!saved) return
    onSaved(saved.id)
    onClose()
  }
  return (
    <Dialog title={texts.saveTitle} onClose={onClose}>
      <form className="action-form" onSubmit={(event) => void submit(event)}>
        <ViewName id={id} />
        {mayShare && (
          <div className="field-row">
            <label htmlFor={`${id}-sharing`}>{texts.sharedWith}</label>
            <select id={`${id}-sharing`} name="sharing" className="field-input">
              {offered.map((one) => (
                <option key={one} value={one}>
                  {views.sharing[one]}
                </option>
              ))}
            </select>
          </div>
        )}
        {create.error && <p role="alert">{create.error.message}</p>}
        <DialogActions onCancel={onClose}>
          <Button type="submit" look="primary" disabled={create.isPending}>
            {common.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
