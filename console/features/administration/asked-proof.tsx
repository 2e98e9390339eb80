/** Asks who the administrator is, before they do what needs a recent proof. */
import { type ReactNode, useState } from 'react'
import { ApiProblem } from '../../api/client.ts'
import { laterPart } from '../../parts/later.tsx'

const AskProof = laterPart(
  async () => (await import('../account/own-credentials/ask-proof.tsx')).AskProof,
)

type Work<V> = {
  readonly error: Error | null
  readonly variables: V | undefined
  readonly mutate: (variables: V) => void
}

/** The error of such work, but for that of a missing proof, for which a dialog asks and then does the work again. */
export const useAskedProof = <V,>(work: Work<V>): { error: Error | null; proof: ReactNode } => {
  const { error, variables, mutate } = work
  const [refused, setRefused] = useState<Error>()
  const isUnproven = error instanceof ApiProblem && error.code === 'caller.not-proven'
  if (variables === undefined || error === refused || !isUnproven) return { error, proof: null }
  return {
    error: null,
    proof: <AskProof onProven={() => mutate(variables)} onClose={() => setRefused(error)} />,
  }
}
