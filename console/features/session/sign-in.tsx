/** The page for those who are not signed in, and the dialog over the page of a session that has ended. */
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { ApiProblem, request, send, urlOf } from '../../api/client.ts'
import { type AfterSignIn, goOn, type NextStep } from '../../api/own/credentials.ts'
import { forgetUser, meQuery } from '../../api/queries.ts'
import type { Me, ServiceConfig } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useWorkTexts, type WorkTexts } from '../../texts/texts.ts'
import { Command, keyCommand, linkCommand } from './command.tsx'
import { codeOfAddress, Invitation, useInvitationCode } from './invitation.tsx'
import { SecondStep } from './later-second-step.tsx'
import { setChangedHere } from './one-user.tsx'
import { titleOf, useTitle } from './page-title.tsx'
import { PasskeySignIn } from './passkey.tsx'
import { NameInput, PasswordInput, usePasswordFault } from './password-input.tsx'
import './field-input.css'
import './sign-in.css'
import { noteSignedIn } from './signed-in-at.ts'

/** Reads again for the user who has signed in; `before` is the user whose pages are shown. */
const startSession = async (client: QueryClient, before: Me | undefined): Promise<void> => {
  if (!before) {
    if (window.location.pathname.endsWith('/console/-/login'))
      window.history.replaceState(null, '', urlOf('/console'))
    noteSignedIn()
    return forgetUser(client)
  }
  setChangedHere(true)
  const now = await client.fetchQuery({ ...meQuery, staleTime: 0 }).catch(() => undefined)
  if (now?.id !== before.id) return
  setChangedHere(false)
  await client.invalidateQueries()
}

type SignInProps = {
  readonly config: ServiceConfig
  /** Whose pages are shown, if their session has ended. */
  readonly before?: Me
}

type Credentials =
  | { readonly code: string }
  | { readonly api_key: string }
  | { readonly name: string; readonly password: string }

/** What is said of credentials that are wrong. */
const wrongOf = (
  { passwords, signIn }: WorkTexts,
  given: Credentials | undefined,
): string | undefined => {
  if (!given || 'password' in given) return passwords.wrong
  return 'code' in given ? signIn.errors.expired : passwords.wrongKey
}

const useSignIn = (before: Me | undefined) => {
  const client = useQueryClient()
  const texts = useWorkTexts()
  const faultOf = usePasswordFault()
  const [next, setNext] = useState<NextStep>()
  const onSignedIn = () => void startSession(client, before)
  const { error, variables, reset, ...mutation } = useMutation({
    mutationFn: (body: Credentials) => {
      const path = 'password' in body ? '/console/-/session/password' : '/console/-/session'
      return request(path, { method: 'POST', body, isSignIn: true })
    },
    onSuccess: (answer) => goOn(answer, { onSignedIn, onNext: setNext }),
  })
  useEffect(() => {
    // What was said of the time to wait is no longer true when it is over.
    if (!(error instanceof ApiProblem) || error.retryAfter === undefined) return
    const timer = setTimeout(reset, error.retryAfter * 1000)
    return () => clearTimeout(timer)
  }, [error, reset])
  const fault = error && faultOf(error, { 401: wrongOf(texts, variables) })
  return { ...mutation, reset, fault, next, setNext, onSignedIn }
}

/** The whole page for those who open it without a session. */
export const SignInPage = ({ config }: { readonly config: ServiceConfig }): ReactNode => {
  const { signIn: texts, passwords } = useWorkTexts()
  const client = useQueryClient()
  const code = useInvitationCode(config)
  useTitle(titleOf([texts.withProvider, config.name], 0))
  const usual = (note?: string) => (
    <>
      <h1>{texts.title(config.name)}</h1>
      <SignIn config={config} note={note} />
    </>
  )
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        {code === undefined ? (
          usual()
        ) : (
          <Invitation
            key={code}
            code={code}
            config={config}
            onSignedIn={() => void startSession(client, undefined)}
            refusal={usual(`${passwords.unusable} ${passwords.unusableHint}`)}
          />
        )}
      </div>
    </main>
  )
}

/** Over the page of a session that has ended, which stays as it is. */
export const SignInDialog = (props: SignInProps): ReactNode => {
  const texts = useWorkTexts().signIn
  return (
    <Dialog title={texts.title(props.config.name)} onClose={() => window.location.reload()}>
      <div className="sign-in-form">
        <p>{texts.ended}</p>
        <SignIn {...props} />
      </div>
    </Dialog>
  )
}

/** `note` says why another way to sign in has failed. */
const SignIn = ({ config, before, note }: SignInProps & { readonly note?: string | undefined }) => {
  const { signIn: texts, codes } = useWorkTexts()
  const { fault, isPending, mutate, reset, next, setNext, onSignedIn } = useSignIn(before)
  useEffect(() => {
    const takeCode = () => {
      const code = codeOfAddress('code')
      if (code === undefined) return
      window.history.replaceState(null, '', window.location.pathname)
      mutate({ code })
    }
    takeCode()
    // A link that is opened where another one was refused changes the fragment alone.
    window.addEventListener('hashchange', takeCode)
    return () => window.removeEventListener('hashchange', takeCode)
  }, [mutate])
  const refusal = new URLSearchParams(window.location.search).get('error')
  const refused = refusal === null ? note : (texts.errors[refusal] ?? texts.errors.failed)
  const said = fault ?? refused
  const has = (way: ServiceConfig['ways'][number]) => config.ways.includes(way)
  const [hasPasswords, hasPasskeys, hasCodes] = [has('password'), has('passkey'), has('code')]
  const [isByCode, setIsByCode] = useState(!hasPasswords)
  if (next)
    return (
      <SecondStep
        next={next}
        hasPasskeys={hasPasskeys}
        onSignedIn={onSignedIn}
        onBegin={() => setNext(undefined)}
      />
    )
  return (
    <>
      {said !== undefined && <p role="alert">{said}</p>}
      {hasPasswords && !isByCode && <PasswordForm isPending={isPending} onSubmit={mutate} />}
      {hasCodes && isByCode && <CodeForm onSignedIn={onSignedIn} onNext={setNext} />}
      {hasCodes && hasPasswords && (
        <Button
          onClick={() => {
            reset()
            setIsByCode(!isByCode)
          }}
        >
          {isByCode ? codes.withPassword : codes.withCode}
        </Button>
      )}
      {hasPasskeys && (
        <PasskeySignIn
          look={hasPasswords || hasCodes ? 'plain' : 'primary'}
          onSignedIn={onSignedIn}
        />
      )}
      {config.signIn === 'issuer' && <ProviderLink isFirst={config.ways.length === 0} />}
      {config.signIn === 'development' && <p>{texts.useLink}</p>}
      <ForAdministrators config={config} onKey={(key) => mutate({ api_key: key })} />
    </>
  )
}

type PasswordProps = {
  readonly isPending: boolean
  readonly onSubmit: (given: { readonly name: string; readonly password: string }) => void
}

const PasswordForm = ({ isPending, onSubmit }: PasswordProps): ReactNode => {
  const { signIn, passwords: texts } = useWorkTexts()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    onSubmit({ name: String(given.get('name')).trim(), password: String(given.get('password')) })
  }
  return (
    <form onSubmit={submit}>
      <NameInput />
      <PasswordInput label={texts.password} name="password" autoComplete="current-password" />
      <Button type="submit" look="primary" disabled={isPending}>
        {signIn.withProvider}
      </Button>
      <p>{texts.forgotten}</p>
    </form>
  )
}

/** `isFirst`: it is the only way for people. */
const ProviderLink = ({ isFirst }: { readonly isFirst: boolean }): ReactNode => {
  const { signIn: texts, passwords } = useWorkTexts()
  const { pathname, search } = window.location
  const to = pathname.endsWith('/-/login') ? undefined : `${pathname}${search}`
  return (
    <a
      className="button"
      data-look={isFirst ? 'primary' : 'plain'}
      href={urlOf('/console/-/login', { to })}
    >
      {isFirst ? texts.withProvider : passwords.withCompany}
    </a>
  )
}

type KeyProps = { readonly config: ServiceConfig; readonly onKey: (key: string) => void }

const KeyForm = ({ onKey }: Pick<KeyProps, 'onKey'>): ReactNode => {
  const texts = useWorkTexts().signIn
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onKey(String(new FormData(event.currentTarget).get('key')))
  }
  return (
    <form onSubmit={submit}>
      <label>
        {texts.apiKey}
        <input className="field-input" name="key" type="password" autoComplete="off" required />
      </label>
      <Button type="submit">{texts.withKey}</Button>
    </form>
  )
}

/** API keys, and the commands that print what users sign in with: open during development, and where people have no way of their own. */
const ForAdministrators = ({ config, onKey }: KeyProps): ReactNode => {
  const texts = useWorkTexts().signIn
  const hasLinks = config.signIn === 'development'
  return (
    <details open={hasLinks || (config.ways.length === 0 && config.signIn !== 'issuer')}>
      <summary>{texts.forAdministrators}</summary>
      <KeyForm onKey={onKey} />
      <dl>
        {hasLinks && <CommandRow label={texts.newLink} words={linkCommand} />}
        <CommandRow label={texts.newKey} words={keyCommand} />
      </dl>
    </details>
  )
}

type RowProps = { readonly label: string; readonly words: string }

const CommandRow = ({ label, words }: RowProps): ReactNode => (
  <div>
    <dt>{label}</dt>
    <dd>
      <Command words={words} />
    </dd>
  </div>
)

// Signs in by a code that is sent by e-mail: it is asked for, and then typed into the same page.

const askForCode = (name: string) =>
  send('/console/-/code', { method: 'POST', body: { name }, isSignIn: true })

const signInByCode = (code: string) =>
  request('/console/-/session/code', { method: 'POST', body: { code }, isSignIn: true })

const CodeForm = (props: AfterSignIn): ReactNode => {
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
