/** The dialog that asks who the user is, for work elsewhere that needs a recent proof. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { credentialsQuery } from '../../../api/own/credentials.ts'
import { ProofDialog } from './proof-dialog.tsx'

type Props = { readonly onProven: () => void; readonly onClose: () => void }

export const AskProof = (props: Props): ReactNode => {
  const { data } = useQuery(credentialsQuery)
  return data && <ProofDialog credentials={data} {...props} />
}
