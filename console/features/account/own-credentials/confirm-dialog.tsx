/** Asks before a way to sign in ends for good. */
import type { ReactNode } from 'react'
import { Button } from '../../../parts/button.tsx'
import { Dialog, DialogActions } from '../../../parts/dialog.tsx'
import { useProvenMutation } from '../../session/proof/asked-proof.tsx'

type Props = {
  readonly title: string
  readonly help: string
  /** The words of the button. */
  readonly face: string
  readonly end: () => Promise<unknown>
  /** Also closes the dialog. */
  readonly onEnded: () => void
  readonly onClose: () => void
}

export const ConfirmDialog = ({ title, help, face, end, onEnded, onClose }: Props): ReactNode => {
  const ending = useProvenMutation({ mutationFn: end, onSuccess: onEnded })
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="setting-form">
        <p>{help}</p>
        {ending.error && <p role="alert">{ending.error.message}</p>}
        <DialogActions onCancel={onClose}>
          <Button look="danger" disabled={ending.isPending} onClick={() => ending.mutate()}>
            {face}
          </Button>
        </DialogActions>
        {ending.proof}
      </div>
    </Dialog>
  )
}
