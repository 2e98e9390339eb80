/** Invites a user: the button, the dialog, and how the new user signs in. */

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import { inviteUser } from '../../api/admin/accounts.ts'
import type { RoleRecord } from '../../api/admin/roles.ts'
import { isRefusal, newIdempotencyKey, urlOf } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Choice } from '../../parts/choice.tsx'
import { Dialog, DialogActions, DialogButton, DialogEnd } from '../../parts/dialog.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { mayInvite, useSession } from '../session/session.ts'
import { InvitationLink, LineToCopy, SendOrCopy, useNewInvitation } from './invitations.tsx'
import { useRoles } from './role-rights.tsx'
import { Failure } from './work-table.tsx'

/** How a new user signs in without a password. */
const SignInLine = ({ email }: { readonly email: string }): ReactNode => {
  const { invite: texts } = useAdminTexts()
  const { config } = useSession()
  const lines = {
    issuer: `${window.location.origin}${urlOf('/console')}`,
    development: `docket login --user ${email}`,
    keys: `docket api-key create --user ${email} --name console`,
  }
  return <LineToCopy label={texts.ways[config.signIn]} line={lines[config.signIn]} />
}

/** The link of a new user, which was asked for when the user was created. */
const FirstLink = ({
  invitation,
}: {
  readonly invitation: ReturnType<typeof useNewInvitation>
}) => {
  const { data, error, proof, variables, mutate } = invitation
  if (data) return <InvitationLink {...data} />
  if (proof) return proof
  if (!error || variables === undefined) return <Waiting />
  return <ProblemNote error={error} onRetry={() => mutate(variables)} />
}

type DialogProps = {
  readonly users: Entity
  /** Key of the role that is chosen at first. */
  readonly role: string | undefined
  readonly onClose: () => void
}

type Typed = {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  /** Undefined: the address. */
  readonly subject: string | undefined
}

const nothing: Typed = { firstName: '', lastName: '', email: '', subject: undefined }

const useCreation = (roleId: number | undefined) => {
  const client = useQueryClient()
  const [key, setKey] = useState(newIdempotencyKey)
  return useMutation({
    mutationFn: ({ firstName, lastName, email, subject = email }: Typed) => {
      const [first, last, address] = [firstName, lastName, email].map((text) => text.trim())
      const names = { firstName: first ?? '', lastName: last ?? '', email: address ?? '' }
      return inviteUser({ ...names, subject: subject.trim(), roleId: roleId ?? 0 }, key)
    },
    onSuccess: () => client.invalidateQueries({ queryKey: [userKey, 'list', 'user'] }),
    onError: (error) => {
      // What was refused will be sent changed.
      if (isRefusal(error)) setKey(newIdempotencyKey())
    },
  })
}

const InviteDialog = ({ users, role, onClose }: DialogProps): ReactNode => {
  const { invite: texts } = useAdminTexts()
  const [typed, setTyped] = useState(nothing)
  const { config } = useSession()
  const isInvited = mayInvite(config)
  const roles = useRoles() ?? []
  const [chosen, setChosen] = useState(role ?? '')
  const roleId = roles.find(({ key }) => key === chosen)?.id
  const creation = useCreation(roleId)
  const invitation = useNewInvitation()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    creation.mutate(typed, {
      onSuccess: ({ id }) => isInvited && !config.sendsEmail && invitation.mutate(id),
    })
  }
  if (creation.isSuccess)
    return (
      <Dialog title={texts.invited(`${typed.firstName} ${typed.lastName}`)} onClose={onClose}>
        <div className="admin-stack">
          {(!isInvited || config.signIn === 'issuer') && <SignInLine email={typed.email.trim()} />}
          {isInvited && config.sendsEmail ? (
            <SendOrCopy userId={creation.data.id} onClose={onClose} />
          ) : (
            <>
              {isInvited && <FirstLink invitation={invitation} />}
              <DialogEnd onClose={onClose} />
            </>
          )}
        </div>
      </Dialog>
    )
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <form className="admin-stack" onSubmit={submit}>
        <Fields users={users} typed={typed} onChange={setTyped} />
        <RoleChoice roles={roles} role={chosen} onChange={setChosen} />
        <Failure error={creation.error} />
        <DialogActions onCancel={onClose}>
          <Button
            type="submit"
            look="primary"
            disabled={creation.isPending || (chosen !== '' && !roleId)}
          >
            {texts.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

type FieldsProps = {
  readonly users: Entity
  readonly typed: Typed
  readonly onChange: (typed: Typed) => void
}

/** Named and described as the definition has them. */
const inputs = [
  { key: 'first_name', name: 'firstName', type: 'text' },
  { key: 'last_name', name: 'lastName', type: 'text' },
  { key: 'email', name: 'email', type: 'email' },
  { key: 'identity_provider_user_id', name: 'subject', type: 'text' },
] as const

const Fields = ({ users, typed, onChange }: FieldsProps): ReactNode => {
  const { signIn } = useSession().config
  const id = useId()
  return inputs.map(({ key, name, type }) => {
    const field = users.fields.find((one) => one.key === key)
    // Without tokens, nothing names a person by it.
    if (!field || (name === 'subject' && signIn === 'keys')) return null
    return (
      <div key={key} className="invite-field">
        <label htmlFor={`${id}-${key}`}>{labelOf(field)}</label>
        <input
          id={`${id}-${key}`}
          className="field-input"
          type={type}
          required={true}
          maxLength={field.maxLength}
          dir="auto"
          autoComplete="off"
          aria-describedby={field.description && `${id}-${key}-help`}
          // Tokens of most issuers and of development name a person by another id than the address, or by it.
          value={typed[name] ?? typed.email}
          onChange={({ target }) => onChange({ ...typed, [name]: target.value })}
        />
        {field.description && <small id={`${id}-${key}-help`}>{field.description}</small>}
      </div>
    )
  })
}

type ChoiceProps = {
  readonly roles: readonly RoleRecord[]
  readonly role: string
  readonly onChange: (role: string) => void
}

const RoleChoice = ({ roles, role, onChange }: ChoiceProps): ReactNode => {
  const { roles: texts } = useAdminTexts()
  const id = useId()
  return (
    <div className="invite-field">
      <label htmlFor={id}>{texts.role}</label>
      <Choice
        id={id}
        required
        value={role}
        none=""
        options={roles.map(({ key, name }) => [key, name])}
        onChange={(chosen = '') => onChange(chosen)}
      />
    </div>
  )
}

type ButtonProps = Pick<DialogProps, 'role'>

export const InviteButton = ({ role }: ButtonProps): ReactNode => {
  const { invite: texts } = useAdminTexts()
  const users = useSession().entities.get('user')
  if (!users?.permissions.create) return null
  return (
    <DialogButton
      look="primary"
      dialog={(onClose) => <InviteDialog users={users} role={role} onClose={onClose} />}
    >
      {texts.invite}
    </DialogButton>
  )
}
