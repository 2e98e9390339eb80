/** How a new user signs in: the address of the console, or the command that makes a link or a key for them. */
import { type ReactNode, useId, useState } from 'react'
import { urlOf } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'

export const SignInLine = ({ email }: { readonly email: string }): ReactNode => {
  const { invite: texts } = useAdminTexts()
  const { config } = useSession()
  const id = useId()
  const [copied, setCopied] = useState(false)
  const lines = {
    issuer: `${window.location.origin}${urlOf('/console')}`,
    development: `docket login --user ${email}`,
    keys: `docket api-key create --user ${email} --name console`,
  }
  const line = lines[config.signIn]
  const copy = async () => {
    await navigator.clipboard.writeText(line)
    setCopied(true)
  }
  return (
    <div className="invite-field">
      <label htmlFor={id}>{texts.ways[config.signIn]}</label>
      <div className="invite-line">
        <input
          id={id}
          className="field-input"
          readOnly
          dir="ltr"
          value={line}
          onFocus={({ target }) => target.select()}
        />
        {/* Without HTTPS pages may not write to the clipboard. */}
        {window.isSecureContext && (
          <Button onClick={() => void copy()}>{copied ? texts.copied : texts.copy}</Button>
        )}
      </div>
    </div>
  )
}
