/** Changes the password of the user, or sets their first one, which ends their other sessions. */
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useRef } from 'react'
import { ApiProblem } from '../../../api/client.ts'
import { sessionsQuery } from '../../../api/own/account.ts'
import { type Credentials, credentialsQuery } from '../../../api/own/credentials.ts'
import { changePassword } from '../../../api/own/password.ts'
import { Button } from '../../../parts/button.tsx'
import { useWorkTexts } from '../../../texts/texts.ts'
import { PasswordInput, usePasswordFault } from '../../session/password-input.tsx'
import { isUnproven, useProvenMutation } from '../../session/proof/asked-proof.tsx'
import { useSession } from '../../session/session.ts'
import { useProof } from './use-proof.tsx'

const isOfNew = (error: Error): boolean =>
  error instanceof ApiProblem && error.issues.some(({ path }) => path === 'new_password')

type ChangeProps = {
  readonly credentials: Credentials
}

export const PasswordChange = ({ credentials }: ChangeProps): ReactNode => {
  const texts = useWorkTexts().passwords
  const { me } = useSession()
  const client = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const faultOf = usePasswordFault()
  const change = useProvenMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      form.current?.reset()
      void client.invalidateQueries({ queryKey: credentialsQuery.queryKey })
      return client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    },
  })
  const { error } = change
  const isFirst = !credentials.has_password
  const { withProof, dialog } = useProof(credentials)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const next = {
      new_password: String(given.get('new_password')),
      ...(!isFirst && { password: String(given.get('password')) }),
    }
    if (isFirst || credentials.app_since !== null) withProof(() => change.mutate(next))
    else change.mutate(next)
  }
  return (
    <>
      <form ref={form} className="setting-form" onSubmit={submit}>
        {/* Password managers store the password with it. */}
        <input type="email" autoComplete="username" value={me.email ?? ''} readOnly hidden />
        {!isFirst && (
          <PasswordInput label={texts.current} name="password" autoComplete="current-password" />
        )}
        <PasswordInput label={texts.newPassword} name="new_password" autoComplete="new-password" />
        {error && (
          <p role="alert">
            {faultOf(error, {
              400: isOfNew(error) ? texts.weak : texts.notCurrent,
              403: isUnproven(error) ? undefined : texts.none,
            })}
          </p>
        )}
        <p role="status">{change.isSuccess && texts.changed}</p>
        <div className="setting-actions">
          <Button type="submit" disabled={change.isPending}>
            {isFirst ? texts.set : texts.change}
          </Button>
        </div>
      </form>
      {dialog}
      {change.proof}
    </>
  )
}
