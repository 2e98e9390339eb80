/** Sets up an authenticator app: its key, the first code, and the recovery codes. */
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { statusOf } from '../../../api/client.ts'
import { beginApp, setApp } from '../../../api/own/credentials.ts'
import { Button } from '../../../parts/button.tsx'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { ProblemNote, Waiting } from '../../../parts/notes.tsx'
import { useWorkTexts } from '../../../texts/texts.ts'
import { CodeInput, usePasswordFault } from '../password-input.tsx'
import { useAskedProof, useProvenMutation } from '../proof/asked-proof.tsx'
import './credentials.css'

type SetUpProps = {
  /** Called when the user has the recovery codes. */
  readonly onDone: () => void
}

export const AppSetUp = ({ onDone }: SetUpProps): ReactNode => {
  const { credentials: texts, settings } = useWorkTexts()
  const faultOf = usePasswordFault()
  const [openedAt] = useState(() => Date.now())
  const key = useQuery({
    queryKey: ['app key', openedAt],
    queryFn: async () => {
      const [{ encode }, one] = await Promise.all([import('uqr'), beginApp()])
      return { ...one, picture: encode(one.address) }
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const asked = useAskedProof(key.error, () => void key.refetch())
  const setting = useProvenMutation({ mutationFn: setApp })
  if (setting.data) return <RecoveryCodes codes={setting.data} onDone={onDone} />
  if (asked.error)
    return statusOf(asked.error) === 404 ? (
      <p role="alert">{texts.expired}</p>
    ) : (
      <ProblemNote error={asked.error} onRetry={() => void key.refetch()} />
    )
  if (!key.data) return asked.proof ?? <Waiting />
  const one = key.data
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code')).replaceAll(/\s/g, '')
    setting.mutate({ key: one.key, code })
  }
  return (
    <>
      <form onSubmit={submit}>
        <p>{texts.appIntro}</p>
        <Picture {...one.picture} />
        <p>
          {texts.key}: <code className="app-key">{one.key.replaceAll(/.{4}(?=.)/g, '$& ')}</code>
        </p>
        <div className="setting-actions">
          <CopyButton text={one.key} face={texts.copyKey} copiedFace={settings.copied} />
          {/* A phone cannot scan what it shows itself. */}
          <a className="button" data-look="plain" href={one.address}>
            {texts.openApp}
          </a>
        </div>
        <CodeInput label={texts.appCode} />
        {setting.error && (
          <p role="alert">
            {faultOf(setting.error, { 400: texts.wrongAppCode, 404: texts.expired })}
          </p>
        )}
        <Button type="submit" look="primary" disabled={setting.isPending}>
          {texts.setApp}
        </Button>
      </form>
      {setting.proof}
    </>
  )
}

type PictureProps = { readonly data: readonly (readonly boolean[])[]; readonly size: number }

const Picture = ({ data, size }: PictureProps): ReactNode => {
  const texts = useWorkTexts().credentials
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return (
    <svg className="qr-code" role="img" aria-label={texts.qr} viewBox={`0 0 ${size} ${size}`}>
      <path d={path} />
    </svg>
  )
}

type CodesProps = { readonly codes: readonly string[]; readonly onDone: () => void }

export const RecoveryCodes = ({ codes, onDone }: CodesProps): ReactNode => {
  const { credentials: texts, settings } = useWorkTexts()
  return (
    <div className="recovery-codes">
      <h3>{texts.codesTitle}</h3>
      <p role="status">{texts.codesIntro}</p>
      <ul>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="setting-actions">
        <CopyButton text={codes.join('\n')} face={settings.copy} copiedFace={settings.copied} />
        <Button look="primary" onClick={onDone}>
          {texts.codesStored}
        </Button>
      </div>
    </div>
  )
}
