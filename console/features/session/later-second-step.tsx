/** The second step of a sign-in, in a file of its own. */
import { laterPart } from '../../parts/later.tsx'
import { Waiting } from '../../parts/notes.tsx'

export const SecondStep = laterPart(
  async () => (await import('./second-step/second-step.tsx')).SecondStep,
  Waiting,
)
