/** Says on the page of a record that another user has changed it, and shows the change if nothing is edited. */

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import { userKey } from '../../api/queries.ts'
import { historyQuery } from '../../api/records/history.ts'
import type { Entity } from '../../api/types.ts'
import { IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { formatValue } from '../format/field-kinds.ts'
import { CopyTyped } from '../forms/open-form.tsx'
import { useWatch, type WatchedChange } from '../session/live.ts'
import { useReading, useSession } from '../session/session.ts'
import { useAuthorName } from '../session/user-names.tsx'
import { columnOf, ownFields } from '../values/own-fields.ts'
import type { EditedRecord } from './edited-record.ts'
import './record.css'

type ChangesProps = {
  readonly entity: Entity
  readonly id: number
  readonly edited: EditedRecord
}

type Change = { readonly by: number | null | undefined }

export const RecordChanges = ({ entity, id, edited }: ChangesProps): ReactNode => {
  const { common } = useTexts()
  const texts = useWorkTexts().record
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

/** The record is gone; typed values can still be copied. */
const Gone = ({ entity, edited }: Omit<ChangesProps, 'id'>): ReactNode => {
  const texts = useWorkTexts().record
  const reading = useReading()
  const lines = ownFields(entity)
    .map((field) => [field, columnOf(field)] as const)
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

/** The version in an ETag. */
const versionOf = (etag: string | undefined): string | undefined =>
  /^"(\d+)"$/.exec(etag ?? '')?.[1]

/** The last change by another user. */
const useChanges = ({ entity, id, edited }: ChangesProps) => {
  const client = useQueryClient()
  const { me } = useSession()
  const [change, setChange] = useState<Change>()
  const { base, draft, save, isGone } = edited
  const onChange = (event: WatchedChange) => {
    // A save reads the record again itself.
    if (save.isPending) return
    if (event !== 'missed' && event.part !== undefined) {
      void client.invalidateQueries({ queryKey: historyQuery(entity.key, id).queryKey })
      return
    }
    const isShown = event !== 'missed' && `"${event.version}"` === base?.etag
    if (isShown) return
    const isRemoval = event !== 'missed' && event.gone === true
    if (event !== 'missed' && !isRemoval && event.by !== me.id) setChange({ by: event.by })
    // A draft belongs to the version on the screen; saving merges it with later ones.
    const isReread = draft.size === 0 || isGone || isRemoval
    const queryKey = isReread
      ? [userKey, 'record', entity.key, id]
      : historyQuery(entity.key, id).queryKey
    void client.invalidateQueries({ queryKey })
  }
  useWatch(`${entity.key}/${id}`, onChange, versionOf(base?.etag))
  return [change, setChange] as const
}

/** The name of a user, as the history of the record has it. */
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
