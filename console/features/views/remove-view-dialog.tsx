/** Asks before a saved view is removed: it does not come back, and others may use it. */
import type { ReactNode } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useViewChanges } from './view-changes.ts'
import type { SavedView } from './views.ts'

type DialogProps = {
  readonly entity: string
  readonly view: SavedView
  readonly onClose: () => void
  readonly onRemoved: () => void
}

export const RemoveViewDialog = ({ entity, view, onClose, onRemoved }: DialogProps): ReactNode => {
  const texts = useWorkTexts().views
  const { remove } = useViewChanges(entity)
  const confirm = () =>
    remove.mutate(view.id, {
      onSuccess: () => {
        onClose()
        onRemoved()
      },
    })
  return (
    <Dialog title={texts.removeTitle(view.name)} onClose={onClose}>
      {view.sharing !== 'me' && <p>{texts.removeHelp}</p>}
      {remove.error && <p role="alert">{remove.error.message}</p>}
      <DialogActions onCancel={onClose}>
        <Button look="danger" disabled={remove.isPending} onClick={confirm}>
          {texts.removeIt}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
