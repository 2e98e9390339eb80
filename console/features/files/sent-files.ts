/** Files that are sent while the form of their record is not shown: the draft takes what was sent. */
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { itemsOf } from './file-values.ts'
import { settledItem, uploadStates, watchUploads } from './uploads.ts'

/** For a place that saves a draft without the inputs of its files. */
export const useSentFiles = (
  draft: ReadonlyMap<string, unknown>,
  onValue: (column: string, value: unknown) => void,
): void => {
  useSyncExternalStore(watchUploads, uploadStates)
  const settle = useEffectEvent(() => {
    for (const [column, value] of draft) {
      const items = itemsOf(value)
      const settled = items.map(settledItem)
      if (settled.some((item, at) => item !== items[at]))
        onValue(column, Array.isArray(value) ? settled : settled[0])
    }
  })
  // Of two that end at the same time one may be left to the next rendering.
  useEffect(() => settle())
}
