/** API keys of one user, each of which can be revoked. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { keysQuery, type OwnApiKey, revokeKey } from '../../../api/own/credentials.ts'
import { Button } from '../../../parts/button.tsx'
import { ProblemNote, Waiting } from '../../../parts/notes.tsx'
import { useAdminTexts, useWorkTexts } from '../../../texts/texts.ts'
import { formatMoment } from '../../format/format-value.ts'
import { useReading } from '../../session/session.ts'
import { ConfirmDialog } from '../own-credentials/confirm-dialog.tsx'

type Props = {
  /** Of another user; by default one's own. */
  readonly userId?: number
  /** What stands in place of an empty list. */
  readonly none?: string
  readonly onRevoked?: () => void
}

export const KeyList = ({ userId, none, onRevoked }: Props): ReactNode => {
  const { data, error } = useQuery(keysQuery(userId))
  const { apiKeys: texts } = useWorkTexts()
  const { invitations } = useAdminTexts()
  const client = useQueryClient()
  const [revoked, setRevoked] = useState<OwnApiKey>()
  const close = () => setRevoked(undefined)
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
        <ConfirmDialog
          title={texts.revokeTitle(revoked.name)}
          help={texts.revokeHelp}
          face={invitations.revoke}
          end={() => revokeKey(revoked.id, userId)}
          onEnded={() => {
            close()
            onRevoked?.()
            void client.invalidateQueries({ queryKey: keysQuery(userId).queryKey })
          }}
          onClose={close}
        />
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
