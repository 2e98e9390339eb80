/** The record that somebody points at, as soon as it has been read. */
import { useSyncExternalStore } from 'react'

type Place = { readonly entity: string; readonly id: string }

let place: Place | undefined
const listeners = new Set<() => void>()

/** Without a place when it has been opened: whoever leaves it and comes again begins anew. */
export const prepareToOpen = (next: Place | undefined): void => {
  place = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useToBeOpened = (): Place | undefined => useSyncExternalStore(subscribe, () => place)
