/** The stream of the service in the tab that holds it: opened anew when it ends, or when other records are watched. */
import { urlOf } from '../../api/client.ts'

const kinds = ['count', 'notification', 'approvals', 'tasks', 'record', 'reset'] as const
type Kind = (typeof kinds)[number]

export type LiveEvent = {
  readonly kind: Kind | 'opened' | 'lost' | 'refused'
  readonly data: unknown
}

export type HeldStream = {
  /** Opens it anew if it does not watch all of these. */
  readonly watch: () => void
}

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
  let current: EventSource | undefined
  let watched: ReadonlySet<string> = new Set()
  let timer: ReturnType<typeof setTimeout> | undefined
  const later = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(open, ms)
  }
  const open = () => {
    if (signal.aborted) return
    const before = current
    const wanted = names()
    watched = new Set(wanted)
    const watch = wanted.length > 0 ? wanted.join(',') : undefined
    const source = new EventSource(
      urlOf('/api/notifications/stream', { counts: 'approvals,tasks', watch }),
    )
    current = source
    source.addEventListener('open', () => {
      // Nothing is missed in between: the new one is there before the old one ends.
      before?.close()
      publish({ kind: 'opened', data: undefined })
    })
    for (const kind of kinds)
      source.addEventListener(kind, ({ data }) => publish({ kind, data: JSON.parse(data) }))
    source.addEventListener('error', () => {
      if (source !== current || signal.aborted) return
      // The browser opens it again by itself.
      if (source.readyState !== EventSource.CLOSED) {
        publish({ kind: 'lost', data: undefined })
        return
      }
      before?.close()
      publish({ kind: 'refused', data: undefined })
      later(reopenMs)
    })
  }
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    current?.close()
  })
  open()
  return { watch: () => !names().every((name) => watched.has(name)) && later(settleMs) }
}
