/** What a list says that has no records, or not all of them for this user. */
import type { ReactNode } from 'react'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useConditionWords } from './condition-words.ts'

type EmptyProps = {
  readonly entity: Entity
  /** Takes the filter away; undefined: there is none. */
  readonly onClear: (() => void) | undefined
}

/** Whether a condition compares with a value of the user that may be missing, which lets nothing through. */
const dependsOnOwn = ({ readCondition }: Entity): boolean =>
  /"\$caller":"(?!id")/.test(JSON.stringify(readCondition ?? null))

export const EmptyList = ({ entity, onClear }: EmptyProps): ReactNode => {
  const texts = useWorkTexts().filter
  if (onClear)
    return (
      <EmptyNote title={texts.noneMatches}>
        <Button onClick={onClear}>{texts.clear}</Button>
      </EmptyNote>
    )
  return (
    <EmptyNote title={texts.none}>{dependsOnOwn(entity) && <p>{texts.noneOfOwn}</p>}</EmptyNote>
  )
}

/** Which records a list has for a user who may not read all of them. */
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
