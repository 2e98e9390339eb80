/** API keys of one user, each of which can be revoked. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { keysQuery, type OwnApiKey, revokeKey } from '../../../api/own/keys.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog, DialogActions } from '../../../parts/dialog.tsx'
import { ProblemNote, Waiting } from '../../../parts/notes.tsx'
import { useAdminTexts, useWorkTexts } from '../../../texts/texts.ts'
import { formatMoment } from '../../format/format-value.ts'
import { useReading } from '../../session/session.ts'

type Props = {
  /** Of another user; by default one's own. */
  readonly userId?: number
  /** What stands in place of an empty list. */
  readonly none?: string
}

export const KeyList = ({ userId, none }: Props): ReactNode => {
  const { data, error } = useQuery(keysQuery(userId))
  const [revoked, setRevoked] = useState<OwnApiKey>()
  if (!data) return error ? <ProblemNote error={error} /> : <Waiting />
  if (data.length === 0) return none === undefined ? null : <p>{none}</p>
  return (
    <>
      <ul className="setting-list">
        {data.map((key) => (
          <li key={key.id}>
            <Key apiKey={key} onRevoke={() => setRevoked(key)} />
          </li>
        ))}
      </ul>
      {revoked && (
        <RevokeDialog apiKey={revoked} userId={userId} onClose={() => setRevoked(undefined)} />
      )}
    </>
  )
}

/** It ends at midnight, which people would take for another day. */
const lastMoment = (end: string): string => new Date(Date.parse(end) - 1000).toISOString()

type KeyProps = { readonly apiKey: OwnApiKey; readonly onRevoke: () => void }

const Key = ({ apiKey, onRevoke }: KeyProps): ReactNode => {
  const { apiKeys: texts, credentials, settings } = useWorkTexts()
  const { invitations } = useAdminTexts()
  const reading = useReading()
  const { name, start, scope, unknown_entities: unknown } = apiKey
  const { created_at: created, last_used_at: used, expires_at: end } = apiKey
  const uses = [
    credentials.made(formatMoment(created, reading)),
    used === null ? credentials.neverUsed : settings.lastUsed(formatMoment(used, reading)),
    end === null ? texts.endless : texts.until(formatMoment(lastMoment(end), reading)),
  ]
  return (
    <>
      <div>
        <span dir="auto">{name}</span> {start !== null && <code>{start}…</code>}
        <small className="setting-help">{scope ?? texts.everything}</small>
        {unknown.length > 0 && (
          <small className="setting-help">{texts.unknown(unknown.join(', '))}</small>
        )}
        <small className="setting-help">{uses.join(' · ')}</small>
      </div>
      <Button aria-haspopup="dialog" aria-label={invitations.revokeOf(name)} onClick={onRevoke}>
        {invitations.revoke}
      </Button>
    </>
  )
}

type DialogProps = {
  readonly apiKey: OwnApiKey
  readonly userId: number | undefined
  readonly onClose: () => void
}

const RevokeDialog = ({ apiKey: { id, name }, userId, onClose }: DialogProps): ReactNode => {
  const { apiKeys: texts } = useWorkTexts()
  const { invitations } = useAdminTexts()
  const client = useQueryClient()
  const revocation = useMutation({
    mutationFn: () => revokeKey(id, userId),
    onSuccess: () => {
      onClose()
      return client.invalidateQueries({ queryKey: keysQuery(userId).queryKey })
    },
  })
  return (
    <Dialog title={texts.revokeTitle(name)} onClose={onClose}>
      <div className="setting-form">
        <p>{texts.revokeHelp}</p>
        {revocation.error && <p role="alert">{revocation.error.message}</p>}
        <DialogActions onCancel={onClose}>
          <Button look="danger" disabled={revocation.isPending} onClick={() => revocation.mutate()}>
            {invitations.revoke}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
