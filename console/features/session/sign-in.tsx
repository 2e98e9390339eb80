/** The page for those who are not signed in, and the dialog over the page of a session that has ended. */
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect } from 'react'
import { request, urlOf } from '../../api/client.ts'
import { forgetUser, meQuery } from '../../api/queries.ts'
import type { Me, ServiceConfig } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { Command, keyCommand, linkCommand } from './command.tsx'
import { setChangedHere } from './one-user.tsx'
import { titleOf, useTitle } from './page-title.tsx'
import './field-input.css'
import './sign-in.css'

/** The one-time code of a printed link. It is in the fragment of the address, so that no log has it. */
export const codeOfAddress = (): string | undefined =>
  new URLSearchParams(window.location.hash.slice(1)).get('code') ?? undefined

/** Reads again for the user who has signed in; `before` is the user whose pages are shown. */
const startSession = async (client: QueryClient, before: Me | undefined): Promise<void> => {
  if (!before) {
    if (window.location.pathname.endsWith('/console/-/login'))
      window.history.replaceState(null, '', urlOf('/console'))
    return forgetUser(client)
  }
  setChangedHere(true)
  const now = await client.fetchQuery({ ...meQuery, staleTime: 0 })
  if (now.id !== before.id) return
  setChangedHere(false)
  await client.invalidateQueries()
}

type SignInProps = {
  readonly config: ServiceConfig
  /** Whose pages are shown, if their session has ended. */
  readonly before?: Me
}

const useSignIn = (before: Me | undefined) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { readonly code: string } | { readonly api_key: string }) =>
      request('/console/-/session', { method: 'POST', body, isSignIn: true }),
    onSuccess: () => void startSession(client, before),
  })
}

/** The whole page for those who open it without a session. */
export const SignInPage = (props: SignInProps): ReactNode => {
  const texts = useWorkTexts().signIn
  useTitle(titleOf([texts.withProvider, props.config.name], 0))
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <h1>{texts.title(props.config.name)}</h1>
        <SignIn {...props} />
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

const SignIn = ({ config, before }: SignInProps): ReactNode => {
  const texts = useWorkTexts().signIn
  const { error, mutate } = useSignIn(before)
  useEffect(() => {
    const takeCode = () => {
      const code = codeOfAddress()
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
  return (
    <>
      {error && <p role="alert">{error.message}</p>}
      {!error && refusal !== null && (
        <p role="alert">{texts.errors[refusal] ?? texts.errors.failed}</p>
      )}
      {config.signIn === 'issuer' && <ProviderLink />}
      {config.signIn === 'development' && <p>{texts.useLink}</p>}
      <KeyForm onKey={(key) => mutate({ api_key: key })} />
      <ForAdministrators hasLinks={config.signIn === 'development'} />
    </>
  )
}

const ProviderLink = (): ReactNode => {
  const texts = useWorkTexts().signIn
  const { pathname, search } = window.location
  const to = pathname.endsWith('/-/login') ? undefined : `${pathname}${search}`
  return (
    <a className="button" data-look="primary" href={urlOf('/console/-/login', { to })}>
      {texts.withProvider}
    </a>
  )
}

const KeyForm = ({ onKey }: { readonly onKey: (key: string) => void }): ReactNode => {
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

/** The commands that print what users sign in with. */
const ForAdministrators = ({ hasLinks }: { readonly hasLinks: boolean }): ReactNode => {
  const texts = useWorkTexts().signIn
  return (
    <section>
      <h2>{texts.forAdministrators}</h2>
      <dl>
        {hasLinks && <CommandRow label={texts.newLink} line={linkCommand} />}
        <CommandRow label={texts.newKey} line={keyCommand} />
      </dl>
    </section>
  )
}

type RowProps = { readonly label: string; readonly line: string }

const CommandRow = ({ label, line }: RowProps): ReactNode => (
  <div>
    <dt>{label}</dt>
    <dd>
      <Command line={line} />
    </dd>
  </div>
)
