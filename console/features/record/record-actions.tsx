/** What may be done with a record as a whole: behind a menu, and only after it was confirmed by its name. */
import { type ReactNode, useState } from 'react'
import type { VersionedRecord } from '../../api/queries.ts'
import type { Entity, OpenActions } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { moreIcon } from '../../parts/icons.tsx'
import { Menu } from '../../parts/menu.tsx'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { RecipientsNote } from '../recipients/recipients-note.tsx'
import { useSession } from '../session/session.ts'
import { ownerOf } from './ownership.ts'
import { type RecordWrite, useRecordWrite } from './use-record-write.ts'

type ActionsProps = {
  readonly entity: Entity
  readonly id: number
  readonly name: string
  readonly base: VersionedRecord
  readonly may: OpenActions['may']
}

type Offer = Exclude<RecordWrite, 'restore'>

export const RecordActions = (props: ActionsProps): ReactNode => {
  const recordPage = useRecordPageTexts()
  const { me } = useSession()
  const [asked, setAsked] = useState<Offer>()
  const { may, base } = props
  const isMine = ownerOf(base.record)?.id === me.id
  const items = [
    ...(may.takeOwnership && !isMine
      ? [{ label: recordPage.takeOver, onSelect: () => setAsked('takeOwnership') }]
      : []),
    ...(may.delete ? [{ label: recordPage.remove, onSelect: () => setAsked('remove') }] : []),
  ]
  return (
    <>
      {items.length > 0 && <Menu label={recordPage.actions} face={moreIcon} items={items} />}
      {asked && <Confirmation {...props} write={asked} onClose={() => setAsked(undefined)} />}
    </>
  )
}

type ConfirmationProps = ActionsProps & { readonly write: Offer; readonly onClose: () => void }

const Confirmation = (props: ConfirmationProps): ReactNode => {
  const { entity, id, name, base, write, onClose } = props
  const { common } = useTexts()
  const recordPage = useRecordPageTexts()
  const done = useRecordWrite(entity, id)
  // What was on the screen when it was asked for, whatever others change meanwhile.
  const [etag] = useState(base.etag)
  const texts = {
    takeOwnership: {
      title: recordPage.takeOverTitle(name),
      hint: recordPage.takeOverHint,
      confirm: recordPage.takeOver,
      look: 'primary',
    },
    remove: {
      title: recordPage.removeTitle(name),
      hint: recordPage.removeHint,
      confirm: recordPage.removeNow,
      look: 'danger',
    },
  } as const
  const { title, hint, confirm, look } = texts[write]
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{hint}</p>
      {write === 'takeOwnership' && (
        <RecipientsNote entity={entity} intent={{ operation: write, entityIds: [id] }} />
      )}
      {done.error && <p role="alert">{done.error.message}</p>}
      <div className="dialog-actions">
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button
          look={look}
          disabled={done.isPending}
          onClick={() => done.mutate({ write, etag }, { onSuccess: onClose })}
        >
          {confirm}
        </Button>
      </div>
    </Dialog>
  )
}
