/** A page that nobody has looked at for a while needs no events: it reads anew when it is looked at again. */
import { type Listener, listenLive } from './live-events.ts'
import { setOnWatched, watchedNames } from './watched.ts'

const sleepAfterMs = 5 * 60_000

/** Listens as long as the page is shown or was shown lately; ends with the signal. */
export const listenWhileAwake = (userId: number, listener: Listener, signal: AbortSignal): void => {
  let awake: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const listen = () => {
    awake = new AbortController()
    const live = listenLive(userId, listener, AbortSignal.any([signal, awake.signal]))
    const show = () => live.show(watchedNames())
    setOnWatched(show)
    show()
  }
  const sleep = () => {
    awake?.abort()
    awake = undefined
  }
  const onVisibility = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') timer = setTimeout(sleep, sleepAfterMs)
    else if (!awake) {
      listen()
      listener({ kind: 'reset', data: undefined })
    }
  }
  document.addEventListener('visibilitychange', onVisibility, { signal })
  signal.addEventListener('abort', () => clearTimeout(timer))
  listen()
}
