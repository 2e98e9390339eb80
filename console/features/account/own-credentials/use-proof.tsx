/** Asks who the user is before a form is opened whose request would need a recent proof. */
import { type ReactNode, useState } from 'react'
import type { Credentials } from '../../../api/own/credentials.ts'
import { ProofDialog } from '../../session/proof/proof-dialog.tsx'

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
