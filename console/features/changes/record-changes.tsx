/** Says on the page of a record that somebody else has changed it, and shows the change where nothing is edited. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { historyQuery, userKey } from '../../api/queries.ts'
import type { Entity } from '../../api/types.ts'
import { IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { KeptRecord } from '../drafts/use-kept-record.ts'
import { useWatch } from '../live/watched.ts'
import { useSession } from '../session/session.ts'
import './changes.css'

type ChangesProps = {
  readonly entity: Entity
  readonly id: number
  readonly edited: KeptRecord
}

type Change = { readonly by: number | null | undefined; readonly isGone: boolean }

export const RecordChanges = ({ entity, id, edited }: ChangesProps): ReactNode => {
  const { changes: texts, common } = useTexts()
  const [change, setChange] = useChanges({ entity, id, edited })
  const name = useNameOf(entity, id, change?.by)
  return (
    <div role="status">
      {change && (
        <p className="record-changed">
          <span dir="auto">
            {change.isGone ? texts.gone : texts.changedBy(name ?? texts.somebody)}
            {!change.isGone && edited.draft.size > 0 && ` ${texts.kept}`}
          </span>
          <IconButton label={common.close} icon={closeIcon} onClick={() => setChange(undefined)} />
        </p>
      )}
    </div>
  )
}

/** The last change by somebody else. */
const useChanges = ({ entity, id, edited }: ChangesProps) => {
  const client = useQueryClient()
  const { me } = useSession()
  const [change, setChange] = useState<Change>()
  const { base, draft, save } = edited
  useWatch(`${entity.key}/${id}`, (told) => {
    // A save reads the record anew by itself.
    if (save.isPending) return
    const isKnown = told !== 'missed' && `"${told.version}"` === base?.etag
    if (isKnown) return
    if (told !== 'missed' && (told.gone || told.by !== me.id))
      setChange({ by: told.by, isGone: told.gone === true })
    const queryKey = [userKey, 'record', entity.key, id]
    // What is typed belongs to the version that is on the screen; saving finds what has changed since.
    if (draft.size === 0) void client.invalidateQueries({ queryKey })
  })
  return [change, setChange] as const
}

/** What a user is called, as the history of the record says it. */
const useNameOf = (
  entity: Entity,
  id: number,
  by: number | null | undefined,
): string | undefined => {
  const history = useQuery({ ...historyQuery(entity.key, id), enabled: typeof by === 'number' })
  const entry = history.data?.find(({ user }) => user?.id === by)
  return entry?.user?.full_name ?? undefined
}
