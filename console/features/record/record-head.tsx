/** The head of a record: its entity, name and owner, and what may be done with the record as a whole. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { request } from '../../api/client.ts'
import type { OpenActions } from '../../api/open-actions.ts'
import { userKey } from '../../api/queries.ts'
import type { VersionedRecord } from '../../api/record.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { moreIcon } from '../../parts/icons.tsx'
import { laterPart } from '../../parts/later.tsx'
import { Menu } from '../../parts/menu.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { RecordFacts } from '../preview/record-facts.tsx'
import { ExplainLink } from '../session/explain-link.tsx'
import { useSession } from '../session/session.ts'
import { RecipientsNote } from '../values/recipients-note.tsx'
import { NotifiedDialog } from './notified.tsx'
import { ownerOf } from './read-record.ts'

type HeadProps = {
  readonly entity: Entity
  readonly record: RecordRow
  readonly lead?: ReactNode
  readonly children?: ReactNode
}

/** The name of a record. */
export const nameOf = ({ displayField }: Entity, record: RecordRow): string =>
  String(record[displayField] ?? record.id)

export const RecordHead = ({ entity, record, lead, children }: HeadProps): ReactNode => (
  <header className="record-head">
    <div className="record-title">
      <Link to="/$entity" params={{ entity: entity.key }}>
        <span dir="auto">{entity.pluralName}</span>
      </Link>
      <h1 dir="auto">{nameOf(entity, record)}</h1>
      <RecordFacts entity={entity} record={record} />
    </div>
    {lead}
    <OwnerNote record={record} />
    <ExplainLink search={{ entity: entity.key, record: record.id }}>
      {useWorkTexts().record.whoIsTold}
    </ExplainLink>
    <AccessLink entity={entity.key} record={record.id} />
    {children}
  </header>
)

/** For administrators: what a user may do with the record. */
const AccessLink = (search: { readonly entity: string; readonly record: number }): ReactNode => {
  const { whoMay } = useWorkTexts().record
  if (!useSession().me.administration.includes('explain')) return null
  return (
    <Link to="/-/admin/access" search={search} className="explain-link">
      {whoMay}
    </Link>
  )
}

const OwnerNote = ({ record }: { readonly record: RecordRow }): ReactNode => {
  const { record: texts } = useTexts()
  const recordPage = useWorkTexts().record
  const { me } = useSession()
  const owner = ownerOf(record)
  if (!owner) return null
  const isMe = owner.id === me.id
  const name = owner.name ?? (isMe ? me.full_name : null) ?? String(owner.id)
  return (
    <span className="record-owner" dir="auto">
      {recordPage.owner(isMe ? texts.you(name) : name)}
    </span>
  )
}

type ActionsProps = {
  readonly entity: Entity
  readonly id: number
  readonly name: string
  readonly base: VersionedRecord
  readonly may: OpenActions['may']
}

type Offer = Exclude<RecordWrite, 'restore'>

const AnonymiseDialog = laterPart(
  async () => (await import('../personal-data/person-dialogs.tsx')).AnonymiseDialog,
)

const PersonDataDialog = laterPart(
  async () => (await import('../personal-data/person-dialogs.tsx')).PersonDataDialog,
)

/** Whether a record of the entity may be anonymised by the user, as far as the role says. */
const mayAnonymise = ({ fields, permissions }: Entity): boolean =>
  permissions.anonymise !== false && fields.some(({ personal }) => personal)

/** Takes the record over or removes it, after a confirmation that names it, and shows who was notified. */
export const RecordActions = (props: ActionsProps): ReactNode => {
  const { record: recordPage, person } = useWorkTexts()
  const { me } = useSession()
  const [opened, setOpened] = useState<Offer | 'notified' | 'anonymise' | 'data'>()
  const { entity, id, may, base } = props
  const close = () => setOpened(undefined)
  const isMine = ownerOf(base.record)?.id === me.id
  const items = [
    ...(may.takeOwnership && !isMine
      ? [{ label: recordPage.takeOver, onSelect: () => setOpened('takeOwnership') }]
      : []),
    // Administrators have a page of its own, which also says why.
    ...(entity.notifiedOperations.length > 0 && !me.administration.includes('explain')
      ? [{ label: recordPage.whoIsTold, onSelect: () => setOpened('notified') }]
      : []),
    ...(entity.key === 'user' && (me.administration.length > 0 || id === me.id)
      ? [{ label: person.showData, onSelect: () => setOpened('data') }]
      : []),
    ...(mayAnonymise(entity) && !(entity.key === 'user' && id === me.id)
      ? [{ label: person.anonymise, onSelect: () => setOpened('anonymise') }]
      : []),
    ...(may.delete ? [{ label: recordPage.remove, onSelect: () => setOpened('remove') }] : []),
  ]
  return (
    <>
      {items.length > 0 && <Menu label={recordPage.actions} face={moreIcon} items={items} />}
      {opened === 'notified' && <NotifiedDialog entity={entity} id={id} onClose={close} />}
      {opened === 'data' && <PersonDataDialog {...props} onClose={close} />}
      {opened === 'anonymise' && <AnonymiseDialog {...props} onClose={close} />}
      {(opened === 'takeOwnership' || opened === 'remove') && (
        <Confirmation {...props} write={opened} onClose={close} />
      )}
    </>
  )
}

type ConfirmationProps = ActionsProps & { readonly write: Offer; readonly onClose: () => void }

const Confirmation = (props: ConfirmationProps): ReactNode => {
  const { entity, id, name, base, write, onClose } = props
  const recordPage = useWorkTexts().record
  const done = useRecordWrite(entity, id)
  // The version that was on the screen when the dialog opened, whatever others change meanwhile.
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

const writes = {
  takeOwnership: { method: 'POST', path: '/takeOwnership' },
  remove: { method: 'DELETE', path: '' },
  restore: { method: 'POST', path: '/restore' },
} as const

type RecordWrite = keyof typeof writes

/** Takes over, removes or restores a record in the version that was on the screen, and reads it again. */
export const useRecordWrite = (entity: Entity, id: number) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ write, etag }: { write: RecordWrite; etag?: string | undefined }) => {
      const { method, path } = writes[write]
      return request(`/${entity.key}/${id}${path}`, { method, etag })
    },
    onSuccess: async () => {
      await client.resetQueries({ queryKey: [userKey, 'record', entity.key, id] })
      void client.invalidateQueries({ queryKey: [userKey, 'list'] })
      void client.invalidateQueries({ queryKey: [userKey, 'approvals'] })
    },
  })
}
