/** Pages and parts that the first list does not need: loaded ahead with their texts, or when they are first shown. */
import { type ComponentType, type ReactNode, Suspense, use } from 'react'
import { loadLaterTexts } from '../texts/texts.ts'

type Load<P> = () => Promise<ComponentType<P>>

const preloads: (() => Promise<void>)[] = []

/** Loads what is to be loaded ahead, so that none of it is waited for, and an outage of the service takes none away. */
export const loadAhead = () => Promise.all(preloads.map((preload) => preload()))

/**
 * A component that suspends until it is loaded. If it cannot be loaded `PageProblem` is shown; the function of the router
 * would load the browser's page again, which is lost then while the service is away.
 */
export const later = <P extends object>(load: Load<P>, isLoadedAhead = true) => {
  let Loaded: ComponentType<P> | undefined
  let loading: Promise<void> | undefined
  let rendered: Promise<void> | undefined
  const start = async () => {
    const [loaded] = await Promise.all([load(), loadLaterTexts()])
    Loaded = loaded
  }
  const preload = () =>
    (loading ??= start().catch((error: unknown) => {
      loading = undefined
      throw error
    }))
  if (isLoadedAhead) preloads.push(preload)
  return Object.assign(
    (props: P): ReactNode => {
      // One promise for all renderings: each would load again what cannot be loaded.
      rendered ??= preload()
      if (!Loaded) use(rendered)
      return Loaded && <Loaded {...props} />
    },
    { preload },
  )
}

/** A part of a page, with what is shown until it is loaded. */
export const laterPart = <P extends object>(
  load: Load<P>,
  Fallback?: ComponentType<NoInfer<P>>,
) => {
  const Part = later(load)
  return (props: P): ReactNode => (
    <Suspense fallback={Fallback && <Fallback {...props} />}>
      <Part {...props} />
    </Suspense>
  )
}

// What is better done before it is needed, and not before anybody is there.

// Without it, a page that was busy when the pointer moved stays without idle time until the pointer moves again.
const mostMs = 500

/** Calls it when the page has nothing else to do, and at the latest after half a second. */
// Safari has no idle callback.
export const whenIdle = (act: () => void): void => {
  if ('requestIdleCallback' in window) requestIdleCallback(act, { timeout: mostMs })
  else setTimeout(act, 200)
}

/** Calls it once: after the first move of the pointer, touch or key, when the page has nothing else to do. */
export const whenUsed = (act: () => void): void => {
  const begun = new AbortController()
  const { signal } = begun
  const begin = () => {
    begun.abort()
    whenIdle(act)
  }
  for (const event of ['pointermove', 'pointerdown', 'keydown'])
    window.addEventListener(event, begin, { signal, passive: true })
}
