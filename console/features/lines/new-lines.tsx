/** The lines of a record that is created with them. */
import { type ReactNode, useMemo } from 'react'
import type { Entity } from '../../api/types.ts'
import { useSession } from '../session/session.ts'
import type { LineDraft } from './line-drafts.ts'
import { LinesSection } from './lines-section.tsx'
import { relatedOf } from './related.ts'
import './lines.css'

const none: readonly LineDraft[] = []

/** The lines of a value of a form. */
export const linesIn = (values: ReadonlyMap<string, unknown> | undefined, key: string) =>
  (values?.get(key) as readonly LineDraft[] | null | undefined) ?? none

/** Shows the faults of all lines; false if there is any. */
export type CheckLines = Map<string, () => boolean>

type NewLinesProps = {
  readonly entity: Entity
  readonly values: ReadonlyMap<string, unknown>
  readonly onValue: (key: string, lines: readonly LineDraft[] | null) => void
  readonly error: Error | null
  readonly sent: ReadonlyMap<string, unknown> | undefined
  readonly isSaving: boolean
  readonly checks: CheckLines
}

const rights = { mayCreate: true, mayChange: false, mayRemove: false }

export const NewLines = (props: NewLinesProps): ReactNode => {
  const { entity, values, onValue, error, sent, isSaving, checks } = props
  const { entities } = useSession()
  const lists = useMemo(
    () =>
      relatedOf(entity, entities).filter(
        ({ child, typed }) => typed.length > 0 && child.permissions.create,
      ),
    [entity, entities],
  )
  return lists.map((related) => {
    const { key } = related.field
    return (
      <LinesSection
        key={key}
        form={{
          related,
          rights,
          error,
          isSaving,
          saved: [],
          lines: linesIn(values, key),
          sent: linesIn(sent, key),
          onLines: (lines) => onValue(key, lines.length > 0 ? lines : null),
        }}
        onCheck={(check) => void checks.set(key, check)}
      />
    )
  })
}
