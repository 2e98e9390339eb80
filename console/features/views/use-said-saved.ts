/** The view that was saved last, for the seconds in which the list says so. */
import { useEffect, useState } from 'react'

const saidMs = 5000

/** Its id, and what is called when one was saved. */
export const useSaidSaved = (): readonly [number | undefined, (id: number) => void] => {
  // An object of its own each time, so that each is said as long.
  const [saved, setSaved] = useState<{ readonly id: number }>()
  useEffect(() => {
    if (!saved) return
    const timer = setTimeout(() => setSaved(undefined), saidMs)
    return () => clearTimeout(timer)
  }, [saved])
  return [saved?.id, (id) => setSaved({ id })]
}
