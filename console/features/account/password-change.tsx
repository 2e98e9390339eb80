/** Changes the password of the user, which ends their other sessions. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useRef } from 'react'
import { ApiProblem } from '../../api/client.ts'
import { sessionsQuery } from '../../api/own/account.ts'
import { changePassword } from '../../api/own/password.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { PasswordInput, usePasswordFault } from '../session/password-input.tsx'
import { useSession } from '../session/session.ts'

const isOfNew = (error: Error): boolean =>
  error instanceof ApiProblem && error.issues.some(({ path }) => path === 'new_password')

export const PasswordChange = (): ReactNode => {
  const texts = useWorkTexts().passwords
  const { me } = useSession()
  const client = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const faultOf = usePasswordFault()
  const change = useMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      form.current?.reset()
      return client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    },
  })
  const { error } = change
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    change.mutate({
      password: String(given.get('password')),
      new_password: String(given.get('new_password')),
    })
  }
  return (
    <form ref={form} className="setting-form" onSubmit={submit}>
      {/* Password managers store the password with it. */}
      <input type="email" autoComplete="username" value={me.email ?? ''} readOnly hidden />
      <PasswordInput label={texts.current} name="password" autoComplete="current-password" />
      <PasswordInput label={texts.newPassword} name="new_password" autoComplete="new-password" />
      {error && (
        <p role="alert">
          {faultOf(error, { 400: isOfNew(error) ? texts.weak : texts.notCurrent, 403: texts.none })}
        </p>
      )}
      <p role="status">{change.isSuccess && texts.changed}</p>
      <div className="setting-actions">
        <Button type="submit" disabled={change.isPending}>
          {texts.change}
        </Button>
      </div>
    </form>
  )
}
