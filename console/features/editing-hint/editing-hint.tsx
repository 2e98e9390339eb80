/**
 * Whether a list hints that its cells can be edited: to a person who has edited none yet and has not closed the hint, once
 * they use the page. It is loaded then.
 */
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { useMedia } from '../../parts/use-media.ts'
import { cellEditsQuery, editedField, noEdits } from '../cells/cell-edits.ts'
import type { ListColumn } from '../list/columns.ts'
import { whenUsed } from '../loading/when-used.ts'
import { useConsoleSettings } from '../settings/use-console-settings.ts'

const HintText = lazy(async () => ({ default: (await import('./hint-text.tsx')).HintText }))

// The name of the setting that it is known.
const knownName = 'known.cells'

type HintProps = {
  readonly entity: Entity
  /** Those that the list shows. */
  readonly columns: readonly ListColumn[]
}

export const EditingHint = ({ entity, columns }: HintProps): ReactNode => {
  const { settings, change } = useConsoleSettings()
  const { data: edits = noEdits } = useQuery(cellEditsQuery(entity.key))
  const [isUsed, setIsUsed] = useState(false)
  // Cards of a phone have few cells, and a finger neither the key nor a double click.
  const hasPointer = useMedia('(width >= 48rem) and (hover: hover)')
  const isUnknown = settings[knownName] !== true
  const isEdited = isUnknown && edits.size > 0
  useEffect(() => whenUsed(() => setIsUsed(true)), [])
  useEffect(() => {
    if (isEdited) change({ [knownName]: true })
  }, [isEdited, change])
  const isEditable = columns.some((column) => editedField(entity, column) !== undefined)
  if (!isUnknown || isEdited || !isUsed || !hasPointer || !isEditable) return null
  return (
    <Suspense>
      <HintText onClose={() => change({ [knownName]: true })} />
    </Suspense>
  )
}
