/** Says on the page of a record that somebody else has changed it, and shows the change where nothing is edited. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { userKey } from '../../api/queries.ts'
import { historyQuery } from '../../api/records/history.ts'
import type { Entity } from '../../api/types.ts'
import { IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { formatValue } from '../format/format-value.ts'
import { CopyTyped } from '../forms/open-form.tsx'
import { useReading, useSession } from '../session/session.ts'
import { useAuthorName } from '../session/use-author-name.ts'
import { useWatch, type WatchedChange } from '../session/watched.ts'
import { labelOf } from '../values/columns.ts'
import { ownFields } from '../values/own-fields.ts'
import type { KeptRecord } from './use-kept-record.ts'
import './changes.css'

type ChangesProps = {
  readonly entity: Entity
  readonly id: number
  readonly edited: KeptRecord
}

type Change = { readonly by: number | null | undefined }

export const RecordChanges = ({ entity, id, edited }: ChangesProps): ReactNode => {
  const { common } = useTexts()
  const texts = useRecordPageTexts()
  const [change, setChange] = useChanges({ entity, id, edited })
  const name = useNameOf(entity, id, change?.by)
  const { isGone } = edited
  return (
    <div role="status">
      {isGone && <Gone entity={entity} edited={edited} />}
      {change && !isGone && (
        <p className="record-changed">
          <span dir="auto">
            {texts.changedBy(name ?? texts.somebody)}
            {edited.draft.size > 0 && ` ${texts.changesKept}`}
          </span>
          <IconButton label={common.close} icon={closeIcon} onClick={() => setChange(undefined)} />
        </p>
      )}
    </div>
  )
}

/** The record is not there any more; what was typed can still be copied. */
const Gone = ({ entity, edited }: Omit<ChangesProps, 'id'>): ReactNode => {
  const texts = useRecordPageTexts()
  const reading = useReading()
  const lines = ownFields(entity)
    .map((field) => [field, field.column ?? field.key] as const)
    .filter(([, column]) => edited.draft.has(column))
    .map(([field, column]): [string, string] => [
      labelOf(field),
      formatValue(edited.draft.get(column), field, reading),
    ])
  return (
    <div className="record-changed">
      <span>{texts.recordGone}</span>
      <CopyTyped lines={lines} />
    </div>
  )
}

/** The version that an ETag names. */
const versionOf = (etag: string | undefined): string | undefined =>
  /^"(\d+)"$/.exec(etag ?? '')?.[1]

/** The last change by somebody else. */
const useChanges = ({ entity, id, edited }: ChangesProps) => {
  const client = useQueryClient()
  const { me } = useSession()
  const [change, setChange] = useState<Change>()
  const { base, draft, save, isGone } = edited
  const tell = (told: WatchedChange) => {
    // A save reads the record anew by itself.
    if (save.isPending) return
    const isKnown = told !== 'missed' && `"${told.version}"` === base?.etag
    if (isKnown) return
    const isRemoval = told !== 'missed' && told.gone === true
    if (told !== 'missed' && !isRemoval && told.by !== me.id) setChange({ by: told.by })
    // What is typed belongs to the version that is on the screen; saving finds what has changed since.
    const isShown = draft.size === 0 || isGone || isRemoval
    const queryKey = isShown
      ? [userKey, 'record', entity.key, id]
      : historyQuery(entity.key, id).queryKey
    void client.invalidateQueries({ queryKey })
  }
  useWatch(`${entity.key}/${id}`, tell, versionOf(base?.etag))
  return [change, setChange] as const
}

/** What a user is called, as the history of the record says it. */
const useNameOf = (
  entity: Entity,
  id: number,
  by: number | null | undefined,
): string | undefined => {
  const authorName = useAuthorName()
  const history = useQuery({ ...historyQuery(entity.key, id), enabled: typeof by === 'number' })
  const entry = history.data?.find(({ user }) => user?.id === by)
  return entry?.user?.full_name ? authorName(entry.user, entry.acting_user) : undefined
}
