/** Signs in by a code that is sent by e-mail: it is asked for, and then typed into the same page. */
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { request, send } from '../../api/client.ts'
import { type AfterSignIn, goOn } from '../../api/own/credentials.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { NameInput, usePasswordFault } from './password-input.tsx'

const askForCode = (name: string) =>
  send('/console/-/code', { method: 'POST', body: { name }, isSignIn: true })

const signInByCode = (code: string) =>
  request('/console/-/session/code', { method: 'POST', body: { code }, isSignIn: true })

export const CodeForm = (props: AfterSignIn): ReactNode => {
  const [name, setName] = useState<string>()
  if (name === undefined) return <NameForm onSent={setName} />
  return <EnterCode {...props} name={name} onBack={() => setName(undefined)} />
}

const NameForm = ({ onSent }: { readonly onSent: (name: string) => void }): ReactNode => {
  const texts = useWorkTexts().codes
  const faultOf = usePasswordFault(texts.tooMany)
  const asking = useMutation({ mutationFn: askForCode, onSuccess: (_sent, name) => onSent(name) })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    asking.mutate(String(new FormData(event.currentTarget).get('name')).trim())
  }
  return (
    <form onSubmit={submit}>
      <NameInput />
      {asking.error && <p role="alert">{faultOf(asking.error, {})}</p>}
      <Button type="submit" look="primary" disabled={asking.isPending}>
        {texts.send}
      </Button>
    </form>
  )
}

type EnterProps = AfterSignIn & { readonly name: string; readonly onBack: () => void }

const EnterCode = ({ name, onBack, ...after }: EnterProps): ReactNode => {
  const { codes: texts, signIn } = useWorkTexts()
  const faultOf = usePasswordFault()
  const entering = useMutation({
    mutationFn: signInByCode,
    onSuccess: (answer) => goOn(answer, after),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    entering.mutate(String(new FormData(event.currentTarget).get('code')))
  }
  return (
    <form onSubmit={submit}>
      <p role="status">{texts.sent(name)}</p>
      <label>
        {texts.code}
        <input
          className="field-input"
          name="code"
          autoComplete="one-time-code"
          inputMode="numeric"
          dir="ltr"
          maxLength={20}
          required
        />
      </label>
      {entering.error && <p role="alert">{faultOf(entering.error, { 401: texts.wrong })}</p>}
      <Button type="submit" look="primary" disabled={entering.isPending}>
        {signIn.withProvider}
      </Button>
      <Button onClick={onBack}>{texts.again}</Button>
    </form>
  )
}
