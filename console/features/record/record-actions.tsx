/** What may be done with a record as a whole: behind a menu, and only after it was confirmed by its name. */
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { OpenActions } from '../../api/open-actions.ts'
import type { VersionedRecord } from '../../api/record.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { moreIcon } from '../../parts/icons.tsx'
import { Menu } from '../../parts/menu.tsx'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { useSession } from '../session/session.ts'
import { RecipientsNote } from '../values/recipients-note.tsx'
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

const NotifiedDialog = lazy(async () => ({
  default: (await import('./notified-dialog.tsx')).NotifiedDialog,
}))

export const RecordActions = (props: ActionsProps): ReactNode => {
  const recordPage = useRecordPageTexts()
  const { me } = useSession()
  const [asked, setAsked] = useState<Offer | 'notified'>()
  const { entity, id, may, base } = props
  const close = () => setAsked(undefined)
  const isMine = ownerOf(base.record)?.id === me.id
  const items = [
    ...(may.takeOwnership && !isMine
      ? [{ label: recordPage.takeOver, onSelect: () => setAsked('takeOwnership') }]
      : []),
    // Administrators are told why, too, on a page of its own.
    ...(entity.notifiedOperations.length > 0 && !me.administration.includes('explain')
      ? [{ label: recordPage.whoIsTold, onSelect: () => setAsked('notified') }]
      : []),
    ...(may.delete ? [{ label: recordPage.remove, onSelect: () => setAsked('remove') }] : []),
  ]
  return (
    <>
      {items.length > 0 && <Menu label={recordPage.actions} face={moreIcon} items={items} />}
      {asked === 'notified' && (
        <Suspense>
          <NotifiedDialog entity={entity} id={id} onClose={close} />
        </Suspense>
      )}
      {asked && asked !== 'notified' && <Confirmation {...props} write={asked} onClose={close} />}
    </>
  )
}

type ConfirmationProps = ActionsProps & { readonly write: Offer; readonly onClose: () => void }

const Confirmation = (props: ConfirmationProps): ReactNode => {
  const { entity, id, name, base, write, onClose } = props
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
      <DialogActions onCancel={onClose}>
        <Button
          look={look}
          disabled={done.isPending}
          onClick={() => done.mutate({ write, etag }, { onSuccess: onClose })}
        >
          {confirm}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
