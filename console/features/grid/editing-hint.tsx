/**
 * Whether a list hints that its cells can be edited: to a person who has edited none yet and has not closed the hint, once
 * they use the page. It is loaded then.
 */
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { useMedia } from '../../parts/use-media.ts'
import { useConsoleSettings } from '../session/use-console-settings.ts'
import { whenUsed } from '../session/when-used.ts'
import type { ListColumn } from '../values/columns.ts'
import { cellEditsQuery, editedField, noEdits } from './cell-edits.ts'

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
