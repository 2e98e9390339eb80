/** The form of an action: its fields, a comment, and where it leads. It waits for the answer of the service. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { request } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import type { Entity, Field, OpenAction } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useTexts } from '../../texts/texts.ts'
import { FieldRow } from '../record/field-row.tsx'
import { issueOf } from '../record/fields.tsx'
import { useSession } from '../session/session.ts'
import { actionName } from './action-name.ts'

type DialogProps = {
  readonly entity: Entity
  readonly id: number
  readonly action: OpenAction
  readonly etag: string | undefined
  readonly onClose: () => void
}

/** The fields of the form; those that it requires are marked so. */
const fieldsOf = ({ fields }: Entity, { form }: OpenAction): readonly Field[] =>
  (form?.fields ?? []).flatMap(({ key, required }) => {
    const field = fields.find((one) => one.key === key)
    return field ? [{ ...field, required }] : []
  })

/** A required link to a user is filled with whoever acts. */
const initialValues = (fields: readonly Field[], userId: number): ReadonlyMap<string, unknown> =>
  new Map(
    fields
      .filter(({ entity, required }) => entity === 'user' && required)
      .map(({ column, key }) => [column ?? key, userId]),
  )

const useAction = ({ entity, id, action, etag, onClose }: DialogProps) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: {
      readonly values: ReadonlyMap<string, unknown>
      readonly comment: string
    }) =>
      request(`/${entity.key}/${id}/proceedToStep`, {
        method: 'POST',
        ...(etag !== undefined && { headers: { 'If-Match': etag } }),
        body: {
          action: action.key,
          ...(body.values.size > 0 && { values: Object.fromEntries(body.values) }),
          ...(body.comment !== '' && { comment: body.comment }),
        },
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [userKey, 'record', entity.key, id] })
      void client.invalidateQueries({ queryKey: [userKey, 'list', entity.key] })
      void client.invalidateQueries({ queryKey: [userKey, 'approvals'] })
      onClose()
    },
  })
}

export const ActionDialog = (props: DialogProps): ReactNode => {
  const { entity, action, onClose } = props
  const { record, common } = useTexts()
  const { me } = useSession()
  const comment = useId()
  const fields = fieldsOf(entity, action)
  const [values, setValues] = useState(() => initialValues(fields, me.id))
  const act = useAction(props)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    act.mutate({ values, comment: String(new FormData(event.currentTarget).get('comment')) })
  }
  return (
    <Dialog title={`${actionName(action)} → ${action.to.name ?? action.to.key}`} onClose={onClose}>
      <form className="action-form" onSubmit={submit}>
        {fields.map((field) => {
          const column = field.column ?? field.key
          return (
            <FieldRow
              key={column}
              field={field}
              value={values.get(column)}
              linked={values.get(column) === me.id ? record.you(me.full_name ?? '') : undefined}
              isReadOnly={false}
              issue={issueOf(act.error, column)}
              onChange={(value) => setValues(new Map(values).set(column, value))}
            />
          )
        })}
        <label htmlFor={comment}>{record.comment}</label>
        <textarea id={comment} name="comment" rows={3} className="field-input" dir="auto" />
        {act.error && <p role="alert">{act.error.message}</p>}
        <div className="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" look="primary" disabled={act.isPending}>
            <span dir="auto">{actionName(action)}</span>
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
