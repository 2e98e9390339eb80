/** The stream of the service in the tab that holds it: opened anew when it ends, or when other records are watched. */
import { urlOf } from '../../api/client.ts'

const kinds = ['count', 'notification', 'approvals', 'tasks', 'record', 'reset'] as const
type Kind = (typeof kinds)[number]

export type LiveEvent = {
  /** `begun`: there was no stream before, so what was read may have changed since. */
  readonly kind: Kind | 'begun' | 'opened' | 'lost' | 'refused'
  readonly data: unknown
}

export type HeldStream = {
  /** Opens it anew if it does not watch all of these. */
  readonly watch: () => void
}

/** As many as the service watches in one stream. */
export const maxNames = 20

type Options = {
  readonly names: () => readonly string[]
  readonly publish: (event: LiveEvent) => void
  readonly signal: AbortSignal
}

// After the service has refused the stream: too many, or nobody is signed in any more.
const reopenMs = 10_000
// Parts of a page begin and end to watch together.
const settleMs = 50

/** Holds a stream until the signal is aborted. */
export const holdStream = ({ names, publish, signal }: Options): HeldStream => {
  /** The last one is the current one; those before it stay until a later one is there. */
  let sources: readonly EventSource[] = []
  let watched: ReadonlySet<string> = new Set()
  let hasMissed = false
  let hasBegun = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const later = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(open, ms)
  }
  const closeBefore = (source: EventSource) => {
    const at = sources.indexOf(source)
    for (const before of sources.slice(0, at)) before.close()
    sources = sources.slice(at)
  }
  const open = () => {
    if (signal.aborted) return
    const wanted = names()
    watched = new Set(wanted.map(withoutVersion))
    const source = new EventSource(addressOf(wanted))
    sources = [...sources, source]
    source.addEventListener('open', () => {
      if (!hasBegun) publish({ kind: 'begun', data: undefined })
      hasBegun = true
      // Nothing is missed in between: the new one is there before the old one ends.
      closeBefore(source)
      publish({ kind: hasMissed ? 'reset' : 'opened', data: wanted })
      hasMissed = false
    })
    for (const kind of kinds)
      source.addEventListener(kind, ({ data }) => publish({ kind, data: JSON.parse(data) }))
    source.addEventListener('error', () => {
      if (source !== sources.at(-1) || signal.aborted) return
      // The browser opens it again by itself.
      if (source.readyState !== EventSource.CLOSED)
        return publish({ kind: 'lost', data: undefined })
      sources = sources.filter((one) => one !== source)
      hasMissed = true
      publish({ kind: 'refused', data: undefined })
      later(reopenMs)
    })
  }
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    for (const source of sources) source.close()
  })
  open()
  return {
    watch: () => !names().every((name) => watched.has(withoutVersion(name))) && later(settleMs),
  }
}

/** Of a watched record: a version that is shown later needs no other stream. */
export const withoutVersion = (name: string): string => name.split(':', 1)[0] ?? name

const addressOf = (names: readonly string[]): string => {
  const watch = names.length > 0 ? names.join(',') : undefined
  return urlOf('/api/notifications/stream', { counts: 'approvals,tasks', watch })
}
