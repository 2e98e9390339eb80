/** What of a list of work is open beside it: named by the address, so "Back" leads to the list again. */
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { useMedia } from '../../parts/use-media.ts'

/** What the address names, at once: keys that follow each other must not wait for a page. */
const useHash = (): string => {
  const { history } = useRouter()
  return useSyncExternalStore(history.subscribe, () => history.location.hash.slice(1))
}

/** Where there is room for one of the two, the list is a page of its own, and so is what is open. */
export const useOpened = () => {
  const opened = useHash()
  const isWide = useMedia('(width >= 960px)')
  const navigate = useNavigate()
  const go = (hash: string, isSamePlace: boolean): void =>
    void navigate({ to: '.', search: true, hash, replace: isSamePlace, hashScrollIntoView: false })
  return {
    opened,
    isWide,
    isListAlone: !isWide && opened === '',
    /** A step of its own only for who leaves the list for it. */
    open: (key: string) => {
      if (key !== opened) go(key, isWide || opened !== '')
    },
    close: () => go('', true),
  }
}

export type Opened = ReturnType<typeof useOpened>

/** The address names what is shown, also after a decision has led to the next one. */
export const useShown = ({ isListAlone, open }: Opened, key: string | undefined): void => {
  const show = useEffectEvent(open)
  useEffect(() => {
    if (!isListAlone && key !== undefined) show(key)
  }, [isListAlone, key])
}
