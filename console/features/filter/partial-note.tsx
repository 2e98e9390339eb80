/** Which records a list has for a user who may not read all of them. */
import type { ReactNode } from 'react'
import type { Entity } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { useConditionWords } from './condition-words.ts'

export const PartialNote = ({ entity }: { readonly entity: Entity }): ReactNode => {
  const { partial, partialWhere, ofUser } = useWorkTexts().filter
  const words = useConditionWords(entity, entity.readCondition, ofUser)
  const note = words === undefined ? partial : partialWhere(words)
  return (
    <span dir="auto" title={note}>
      , {note}
    </span>
  )
}
