/** How the user signs in: password, passkeys, second factor. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { credentialsQuery } from '../../../api/own/credentials.ts'
import { ProblemNote, Waiting } from '../../../parts/notes.tsx'
import { TitledSection } from '../../../parts/titled-section.tsx'
import { useWorkTexts } from '../../../texts/texts.ts'
import { useSession } from '../../session/session.ts'
import { PasskeyList } from './passkey-list.tsx'
import { PasswordChange } from './password-change.tsx'
import { SecondFactor } from './second-factor.tsx'

export const OwnCredentials = (): ReactNode => {
  const { credentials: texts, passwords } = useWorkTexts()
  const { config } = useSession()
  const { data, error } = useQuery(credentialsQuery)
  if (!data) return error ? <ProblemNote error={error} /> : <Waiting />
  const hasPasswords = config.ways.includes('password')
  // A passkey is two factors already.
  const hasOneFactor = data.has_password || config.ways.includes('code')
  return (
    <>
      {hasPasswords && (
        <TitledSection title={passwords.password}>
          <PasswordChange credentials={data} />
        </TitledSection>
      )}
      {config.ways.includes('passkey') && (
        <TitledSection title={texts.passkeys}>
          <PasskeyList credentials={data} />
        </TitledSection>
      )}
      {hasOneFactor && (
        <TitledSection title={texts.secondFactor}>
          <SecondFactor credentials={data} />
        </TitledSection>
      )}
    </>
  )
}
