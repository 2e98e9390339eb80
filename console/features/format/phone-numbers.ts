/**
 * Telephone numbers as people read them. What knows the numbers of all countries is loaded with the first one that is shown;
 * until then they read as they are stored.
 */
import type { Print } from './format-value.ts'

type Numbers = typeof import('../../../src/definitions/values/rules/phone-numbers.ts')

let numbers: Numbers | undefined
let loading: Promise<Numbers | undefined> | undefined
const listeners = new Set<() => void>()

const load = async (): Promise<Numbers | undefined> => {
  try {
    numbers = await import('../../../src/definitions/values/rules/phone-numbers.ts')
    for (const listener of listeners) listener()
  } catch {
    // If the service is away, the next number tries again.
    loading = undefined
  }
  return numbers
}

/** Loads what checks and prints numbers, once. */
export const loadNumbers = (): Promise<Numbers | undefined> => {
  loading ??= load()
  return loading
}

/** Whether numbers are printed, and what is called once they are. */
export const hasNumbers = (): boolean => numbers !== undefined
export const onNumbers = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const printPhone: Print = (value, { region }) => {
  if (numbers) return numbers.printedPhone(String(value), region)
  void loadNumbers()
  return String(value)
}
