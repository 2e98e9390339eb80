/** A user leaves: what of their work moves, to whom, and what could not. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import {
  type Account,
  type HandedOver,
  leave,
  type WorkOfUser,
  workOfUserQuery,
} from '../../api/admin/accounts.ts'
import { userKey } from '../../api/queries.ts'
import { useRecordNames } from '../../api/record-names.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions, DialogEnd } from '../../parts/dialog.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import { labelOf } from '../values/columns.ts'
import { PersonInput } from './person-input.tsx'
import { Failure } from './work-table.tsx'

type Props = { readonly account: Account; readonly onClose: () => void }

export const LeaveDialog = ({ account, onClose }: Props): ReactNode => {
  const { accounts: texts } = useAdminTexts()
  const work = useQuery(workOfUserQuery(account.id))
  const client = useQueryClient()
  const leaving = useMutation({
    mutationFn: leave,
    onSuccess: ({ items, kept }) => {
      if (items.length + kept.length === 0) onClose()
      return client.invalidateQueries({ queryKey: [userKey] })
    },
  })
  const { full_name: name } = account
  // The list is read again when the user has left, and this dialog still says what was done.
  const [isActive] = useState(account.is_active)
  return (
    <Dialog
      title={isActive ? texts.deactivateTitle(name) : texts.handOverTitle(name)}
      onClose={onClose}
    >
      {leaving.data ? (
        <Outcome
          done={leaving.data}
          left={isActive ? name : undefined}
          to={leaving.variables.to}
          onClose={onClose}
        />
      ) : work.data ? (
        <LeaveForm
          work={work.data}
          isActive={isActive}
          isPending={leaving.isPending}
          error={leaving.error}
          onLeave={(to) => leaving.mutate({ id: account.id, to })}
          onClose={onClose}
        />
      ) : work.error ? (
        <ProblemNote error={work.error} />
      ) : (
        <Waiting />
      )}
    </Dialog>
  )
}

type FormProps = {
  readonly work: WorkOfUser
  readonly isActive: boolean
  readonly isPending: boolean
  readonly error: Error | null
  readonly onLeave: (to: number | undefined) => void
  readonly onClose: () => void
}

const LeaveForm = ({ work, isActive, isPending, error, onLeave, onClose }: FormProps) => {
  const { accounts: texts } = useAdminTexts()
  const input = useId()
  const [to, setTo] = useState<number>()
  const isWork = work.items.length > 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onLeave(to)
  }
  return (
    <form className="admin-stack" onSubmit={submit}>
      {isActive && <p>{texts.ends}</p>}
      <p>{isWork ? texts.moves : texts.noWork}</p>
      {isWork && (
        <>
          <WorkList items={work.items} />
          <div className="invite-field">
            <label htmlFor={input}>{texts.taker}</label>
            <PersonInput id={input} userId={to} onChange={setTo} />
          </div>
        </>
      )}
      <Failure error={error} />
      <DialogActions onCancel={onClose}>
        <Button
          type="submit"
          look={isActive ? 'danger' : 'primary'}
          disabled={isPending || (isWork ? to === undefined : !isActive)}
        >
          {isActive ? texts.deactivateNow : texts.handOverNow}
        </Button>
      </DialogActions>
    </form>
  )
}

/** How many records or tasks there are of what, by the names of entities and fields. */
const WorkList = ({ items }: Pick<WorkOfUser, 'items'>): ReactNode => {
  const { accounts: texts } = useAdminTexts()
  const { entities } = useSession()
  return (
    <ul className="admin-list">
      {items.map(({ entity: key, field: fieldKey, count }) => {
        const entity = entities.get(key)
        const field = entity?.fields.find((one) => one.key === fieldKey)
        const what = fieldKey === null ? texts.openTasks : field ? labelOf(field) : fieldKey
        return (
          <li key={`${key} ${fieldKey}`} dir="auto">
            {texts.item(entity?.name ?? key, what, count)}
          </li>
        )
      })}
    </ul>
  )
}

type OutcomeProps = Pick<Props, 'onClose'> & {
  readonly done: HandedOver
  /** The name of who was deactivated with it. */
  readonly left: string | undefined
  /** Who has it now. */
  readonly to: number | undefined
}

/** What another user has now, and what its own rules have kept with the user. */
const Outcome = ({ done: { items, kept }, left, to, onClose }: OutcomeProps): ReactNode => {
  const { accounts: texts, recordOf } = useAdminTexts()
  const { entities } = useSession()
  const taker = useRecordNames(to === undefined ? [] : [{ entity: 'user', id: to }], entities)
  return (
    <div className="admin-stack">
      <div role="status">
        {left !== undefined && <p>{texts.left(left)}</p>}
        {items.length > 0 && (
          <>
            <p>{texts.handedOver(taker?.get(`user/${to}`) ?? '')}</p>
            <WorkList items={items} />
          </>
        )}
      </div>
      {kept.length > 0 && (
        <>
          <p>{texts.kept}</p>
          <ul className="admin-list">
            {kept.map(({ entity, id, task_id: task, detail }) => (
              <li key={`${entity} ${id} ${task} ${detail}`}>
                <Link to="/$entity/$id" params={{ entity, id: `${id}` }} dir="auto">
                  {recordOf(entities.get(entity)?.name ?? entity, id)}
                </Link>{' '}
                <span dir="auto">{detail}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <DialogEnd onClose={onClose} />
    </div>
  )
}
