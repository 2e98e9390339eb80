/** How a new user signs in: the address of the console, or the command that makes a link or a key for them. */

import { type ReactNode, useId } from 'react'
import { urlOf } from '../../api/client.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'

export const SignInLine = ({ email }: { readonly email: string }): ReactNode => {
  const { invite: texts } = useAdminTexts()
  const { config } = useSession()
  const id = useId()
  const lines = {
    issuer: `${window.location.origin}${urlOf('/console')}`,
    development: `docket login --user ${email}`,
    keys: `docket api-key create --user ${email} --name console`,
  }
  const line = lines[config.signIn]
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
        <CopyButton text={line} face={texts.copy} copiedFace={texts.copied} />
      </div>
    </div>
  )
}
