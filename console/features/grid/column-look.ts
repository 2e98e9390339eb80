/** Widths and pinned columns of a list: taste of a user, kept by the service for each entity and not in addresses. */
import { useCallback, useMemo } from 'react'
import { useConsoleSettings } from '../session/use-console-settings.ts'
import type { ColumnLook } from './grid-layout.ts'

// Of all columns of an entity that a list has shown; those that were changed last.
const maxWidths = 60
const maxPinned = 20
const [least, most] = [56, 900]

/** A width that a column may have. */
export const allowedWidth = (width: number): number =>
  Math.round(Math.max(least, Math.min(width, most)))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads what any version of the page may have written. */
const readLook = (value: unknown): ColumnLook => {
  const { widths, pinned } = isObject(value) ? value : {}
  const entries = Object.entries(isObject(widths) ? widths : {}).flatMap(([path, width]) =>
    typeof width === 'number' ? [[path, allowedWidth(width)] as const] : [],
  )
  const paths = Array.isArray(pinned) ? pinned : []
  return {
    widths: Object.fromEntries(entries.slice(-maxWidths)),
    pinned: paths.filter((one) => typeof one === 'string').slice(0, maxPinned),
  }
}

const isUsual = ({ widths, pinned }: ColumnLook): boolean =>
  Object.keys(widths).length === 0 && pinned.length === 0

/** The look of the columns of an entity, and how it changes; `undefined` is the usual one. */
export const useColumnLook = (entity: string) => {
  const { settings, change } = useConsoleSettings()
  const name = `columns.${entity}`
  const kept = settings[name]
  const look = useMemo(() => readLook(kept), [kept])
  const setLook = useCallback(
    (next: ColumnLook | undefined) =>
      change({ [name]: next && !isUsual(next) ? readLook(next) : null }),
    [change, name],
  )
  return { look, setLook }
}

/** The look with these widths beside those that it has. */
export const withWidths = (look: ColumnLook, widths: ColumnLook['widths']): ColumnLook => {
  const others = Object.entries(look.widths).filter(([path]) => !(path in widths))
  return { ...look, widths: { ...Object.fromEntries(others), ...widths } }
}

/** The look with a column pinned after the others, or not any more. */
export const withPin = (look: ColumnLook, path: string): ColumnLook => {
  const others = look.pinned.filter((one) => one !== path)
  return { ...look, pinned: others.length < look.pinned.length ? others : [...others, path] }
}
