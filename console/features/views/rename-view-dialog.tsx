/** Gives a saved view another name. */
import { type FormEvent, type ReactNode, useId } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useViewChanges } from './view-changes.ts'
import { ViewName } from './view-name.tsx'
import type { SavedView } from './views.ts'
import '../forms/forms.css'

type DialogProps = {
  readonly entity: string
  readonly view: SavedView
  readonly onClose: () => void
  /** With the name that it had before. */
  readonly onRenamed: (before: string) => void
}

export const RenameViewDialog = ({ entity, view, onClose, onRenamed }: DialogProps): ReactNode => {
  const texts = useWorkTexts().views
  const { rename } = useViewChanges(entity)
  const id = useId()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name')).trim()
    if (name === view.name) return onClose()
    rename.mutate({ id: view.id, name }, { onSuccess: () => onRenamed(view.name) })
  }
  return (
    <Dialog title={texts.renameTitle(view.name)} onClose={onClose}>
      <form className="action-form" onSubmit={submit}>
        {view.sharing !== 'me' && <p>{texts.renameHelp}</p>}
        <ViewName id={id} name={view.name} />
        {rename.error && <p role="alert">{rename.error.message}</p>}
        <DialogActions onCancel={onClose}>
          <Button type="submit" look="primary" disabled={rename.isPending}>
            {texts.renameIt}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
