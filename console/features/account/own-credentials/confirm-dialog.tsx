/** What is asked before ways to sign in change: whether one ends for good, and who the user is. */
import { type ReactNode, useState } from 'react'
import type { Credentials } from '../../../api/own/credentials.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog, DialogActions } from '../../../parts/dialog.tsx'
import { useProvenMutation } from '../../session/proof/asked-proof.tsx'
import { ProofDialog } from '../../session/proof/proof-dialog.tsx'

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

// Asks who the user is before a form is opened whose request would need a recent proof.

/**
 * Runs such work: at once if the user has given a proof, and otherwise after they have. The proof may be too old by the time of
 * the request, which then asks again (`useProvenMutation`). `dialog` is to be rendered.
 */
export const useProof = (
  credentials: Credentials,
): { readonly withProof: (work: () => void) => void; readonly dialog: ReactNode } => {
  const [waiting, setWaiting] = useState<{ readonly work: () => void }>()
  const close = () => setWaiting(undefined)
  return {
    withProof: (work) => {
      if (credentials.is_proven) work()
      else setWaiting({ work })
    },
    dialog: waiting && (
      <ProofDialog
        onClose={close}
        onProven={() => {
          close()
          waiting.work()
        }}
      />
    ),
  }
}
