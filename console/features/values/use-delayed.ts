/** A value some time after its last change: what is asked for while the user types. */
import { useEffect, useState } from 'react'

export const useDelayed = <T>(value: T, delayMs: number): T => {
  const [delayed, setDelayed] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return delayed
}
