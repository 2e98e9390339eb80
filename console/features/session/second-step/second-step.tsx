/** The second step of a sign-in: a code or a passkey, or a second factor that has to be set up first. */
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import {
  addPasskey,
  beginPasskey,
  confirmSignIn,
  type NextStep,
} from '../../../api/own/credentials.ts'
import { Button } from '../../../parts/button.tsx'
import { useWorkTexts } from '../../../texts/texts.ts'
import { useBrowserName } from '../browser-name.ts'
import { makePasskey, PasskeySignIn, usePasskeyFault } from '../passkey.tsx'
import { CodeInput, usePasswordFault } from '../password-input.tsx'
import { AppSetUp } from './app-set-up.tsx'
import '../sign-in.css'

type StepProps = {
  readonly next: NextStep
  readonly hasPasskeys: boolean
  readonly onSignedIn: () => void
  /** Back to the first step. */
  readonly onBegin: () => void
}

export const SecondStep = ({ next, hasPasskeys, onSignedIn, onBegin }: StepProps): ReactNode => {
  const texts = useWorkTexts().credentials
  const isSetUp = next.next === 'set-up'
  return (
    <>
      <h2>{isSetUp ? texts.setUpTitle : texts.stepTitle}</h2>
      {isSetUp ? (
        <SetUp hasPasskeys={hasPasskeys} onSignedIn={onSignedIn} />
      ) : (
        <>
          {next.has_app && <CodeForm onSignedIn={onSignedIn} />}
          {next.has_passkeys && (
            <PasskeySignIn look={next.has_app ? 'plain' : 'primary'} onSignedIn={onSignedIn} />
          )}
          {next.has_app && <p>{texts.stepLost}</p>}
        </>
      )}
      <Button look="quiet" onClick={onBegin}>
        {texts.again}
      </Button>
    </>
  )
}

type SignedInProps = { readonly onSignedIn: () => void }

const CodeForm = ({ onSignedIn }: SignedInProps): ReactNode => {
  const texts = useWorkTexts().credentials
  const faultOf = usePasswordFault(texts.tooManyCodes)
  const confirmation = useMutation({ mutationFn: confirmSignIn, onSuccess: onSignedIn })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    confirmation.mutate(String(new FormData(event.currentTarget).get('code')).trim())
  }
  const { error } = confirmation
  return (
    <form onSubmit={submit}>
      <p>{texts.stepIntro}</p>
      <CodeInput label={texts.code} takesRecoveryCode />
      {error && <p role="alert">{faultOf(error, { 401: texts.wrongCode, 404: texts.expired })}</p>}
      <Button type="submit" look="primary" disabled={confirmation.isPending}>
        {texts.confirm}
      </Button>
    </form>
  )
}

const SetUp = ({ hasPasskeys, onSignedIn }: SignedInProps & Pick<StepProps, 'hasPasskeys'>) => {
  const texts = useWorkTexts().credentials
  const [isApp, setIsApp] = useState(!hasPasskeys)
  const faultOf = usePasskeyFault()
  const name = useBrowserName(navigator.userAgent)
  const making = useMutation({
    mutationFn: async () => addPasskey({ name, passkey: await makePasskey(await beginPasskey()) }),
    onSuccess: onSignedIn,
  })
  if (isApp) return <AppSetUp onDone={onSignedIn} />
  return (
    <>
      <p>{texts.setUpIntro}</p>
      <p>{texts.passkeyHelp}</p>
      {making.error && <p role="alert">{faultOf(making.error)}</p>}
      <Button look="primary" disabled={making.isPending} onClick={() => making.mutate()}>
        {texts.create}
      </Button>
      <Button onClick={() => setIsApp(true)}>{texts.useApp}</Button>
    </>
  )
}
