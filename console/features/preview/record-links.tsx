/** What the links to records of all pages do. What is for those who come near to one is loaded when somebody begins to work. */
import { useRouter } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { whenUsed } from '../loading/when-used.ts'
import { placeInList } from '../neighbours/list-place.ts'
import { recordLinkOf, targetOf } from './record-link.tsx'

const NearLink = lazy(async () => ({ default: (await import('./near-link.tsx')).NearLink }))

export const RecordLinks = (): ReactNode => {
  const router = useRouter()
  const [isUsed, setIsUsed] = useState(false)
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    document.addEventListener('click', (event) => follow(router, event), { signal })
    whenUsed(() => setIsUsed(true))
    return () => ended.abort()
  }, [router])
  return (
    isUsed && (
      <Suspense>
        <NearLink />
      </Suspense>
    )
  )
}

/** Follows a link without a new page. The router's own link costs a list half of its frames. */
const follow = (router: ReturnType<typeof useRouter>, event: MouseEvent): void => {
  const { button, ctrlKey, metaKey, shiftKey, altKey } = event
  const link = recordLinkOf(event)
  // Another tab or window is for the browser to open.
  const isElsewhere = button !== 0 || ctrlKey || metaKey || shiftKey || altKey
  if (!link || event.defaultPrevented || isElsewhere) return
  event.preventDefault()
  const place = placeInList(link.entity, Number(link.id))
  void router.navigate({ ...targetOf(link), state: (before) => ({ ...before, place }) })
}
