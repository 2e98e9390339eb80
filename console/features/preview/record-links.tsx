/** What the links to records of all pages do. What is for those who come near to one is loaded when somebody begins to work. */
import { useRouter } from '@tanstack/react-router'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { whenUsed } from '../session/when-used.ts'
import { placeInList } from './list-place.ts'
import { recordLinkOf, targetOf } from './record-link.tsx'

export const RecordLinks = (): ReactNode => {
  const router = useRouter()
  const [NearLink, setNearLink] = useState<ComponentType>()
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    const load = () =>
      void import('./near-link.tsx')
        .then((loaded) => setNearLink(() => loaded.NearLink))
        // Links lead to their records without it too.
        .catch(() => undefined)
    document.addEventListener('click', (event) => follow(router, event), { signal })
    // Readers of screens move the focus without keys.
    document.addEventListener('focusin', (event) => recordLinkOf(event) && load(), { signal })
    whenUsed(load)
    return () => ended.abort()
  }, [router])
  return NearLink && <NearLink />
}

/** Follows a link without a new page. The router's own link costs a list half of its frames. */
const follow = (router: ReturnType<typeof useRouter>, event: MouseEvent): void => {
  const { ctrlKey, metaKey, shiftKey, altKey } = event
  const link = recordLinkOf(event)
  // Another tab or window is for the browser to open. Other buttons are no click.
  const isElsewhere = ctrlKey || metaKey || shiftKey || altKey
  if (!link || event.defaultPrevented || isElsewhere) return
  event.preventDefault()
  const place = placeInList(link.entity, Number(link.id))
  void router.navigate({ ...targetOf(link), state: (before) => ({ ...before, place }) })
}
