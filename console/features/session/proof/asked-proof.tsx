/** Asks who the user is where the service wants a recent proof, and then repeats what it has refused. */
import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ApiProblem } from '../../../api/client.ts'
import { laterPart } from '../../../parts/later.tsx'
import { useWorkTexts } from '../../../texts/texts.ts'

const ProofDialog = laterPart(async () => (await import('./proof-dialog.tsx')).ProofDialog)

/** Whether an error says that the user has to prove who they are. */
export const isUnproven = (error: Error | null): error is ApiProblem =>
  error instanceof ApiProblem && error.code === 'caller.not-proven'

/**
 * The error of a request, but for that of a missing proof, for which a dialog asks and then repeats the request. `proof` is
 * to be rendered outside of forms.
 */
export const useAskedProof = (
  error: Error | null,
  repeat: () => void,
): { readonly error: Error | null; readonly proof: ReactNode } => {
  const texts = useWorkTexts().credentials
  const [refused, setRefused] = useState<Error>()
  if (!isUnproven(error)) return { error, proof: null }
  // What the service says is written for programs.
  if (error === refused)
    return {
      error: new ApiProblem(403, { code: error.code, detail: texts.proofTitle }),
      proof: null,
    }
  return {
    error: null,
    proof: <ProofDialog onProven={repeat} onClose={() => setRefused(error)} />,
  }
}

/** A mutation that may need a recent proof, which it asks for. */
export const useProvenMutation = <Data, Given>(options: UseMutationOptions<Data, Error, Given>) => {
  const mutation = useMutation(options)
  const { error, variables, mutate } = mutation
  return { ...mutation, ...useAskedProof(error, () => mutate(variables as Given)) }
}
