/** The link to a record that the pointer or the focus is at: its record is read, and shown to whoever rests there. */
import { CatchBoundary, useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { type FoundLink, recordLinkIn, recordLinkOf, targetOf } from './record-link.tsx'
import { RecordPreview } from './record-preview.tsx'
import { prepareToOpen } from './to-be-opened.ts'

type Router = ReturnType<typeof useRouter>

export const NearLink = (): ReactNode => {
  const router = useRouter()
  const [rested, setRested] = useState<FoundLink>()
  useEffect(() => watch(router, setRested), [router])
  if (!rested) return null
  const { element, entity, id } = rested
  return (
    // What cannot be loaded now is not shown.
    <CatchBoundary getResetKey={() => `${entity}/${id}`} errorComponent={() => null}>
      <RecordPreview key={`${entity}/${id}`} entity={entity} link={element} id={Number(id)} />
    </CatchBoundary>
  )
}

// Whoever only passes by wants no look.
const restMs = 350

/** Follows the pointer and the focus from link to link until the answer is called. */
const watch = (router: Router, onRest: (link?: FoundLink) => void): (() => void) => {
  let near: FoundLink | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const begin = (link?: FoundLink) => {
    if (link?.element === near?.element && link?.id === near?.id) return
    near = link
    clearTimeout(timer)
    onRest()
    if (!link) return
    // Links that the pointer has left meanwhile are not prepared: a list that is scrolled moves many under it.
    prepare(router, link, () => near === link)
    timer = setTimeout(() => link.element.isConnected && onRest(link), restMs)
  }
  const handlers: Readonly<Record<string, (event: Event) => void>> = {
    pointerover: (event) => isOfMouse(event) && !isInPreview(event) && begin(recordLinkOf(event)),
    pointerout: (event) => isOfMouse(event) && event.relatedTarget === null && begin(),
    focusin: (event) => begin(recordLinkOf(event)),
    focusout: () => begin(),
    keydown: (event) => event instanceof KeyboardEvent && event.key === 'Escape' && begin(),
    // A finger does not rest.
    touchstart: (event) => prepare(router, recordLinkOf(event), () => true),
  }
  const ended = new AbortController()
  const options = { signal: ended.signal, passive: true }
  for (const [type, handle] of Object.entries(handlers))
    document.addEventListener(type, handle, options)
  begin(recordLinkIn(document.querySelector(':is(a:hover, a:focus-visible)')))
  const unsubscribe = router.subscribe('onBeforeNavigate', () => begin())
  return () => {
    ended.abort()
    unsubscribe()
    begin()
  }
}

const isOfMouse = (event: Event): event is PointerEvent =>
  event instanceof PointerEvent && event.pointerType === 'mouse'

const isInPreview = ({ target }: Event): boolean =>
  target instanceof Element && target.closest('.record-preview') !== null

/** What cannot be read now is read, or explained, when the link is followed. */
const prepare = (router: Router, link: FoundLink | undefined, isThere: () => boolean): void => {
  if (!link) return
  const target = targetOf(link)
  void router
    .preloadRoute(target)
    .then(() => isThere() && prepareToOpen(target.params))
    .catch(() => undefined)
}
