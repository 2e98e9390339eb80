/** A person as the service keeps them: anonymising a record, which says first what is stored about it, and what is stored about a user. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import type { Anonymised } from '../../../src/personal-data/endpoints.ts'
import type { PersonData } from '../../../src/personal-data/person-data.ts'
import { request } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading, useSession } from '../session/session.ts'
import '../forms/forms.css'
import '../session/field-input.css'

type DialogProps = {
  readonly entity: Entity
  readonly id: number
  readonly name: string
  readonly onClose: () => void
}

const sumOf = (counts: readonly { readonly rows: number }[]): number =>
  counts.reduce((sum, { rows }) => sum + rows, 0)

const anonymise = (
  { entity, id }: Pick<DialogProps, 'entity' | 'id'>,
  dryRun: boolean,
): Promise<Anonymised> =>
  request(`/${entity.key}/${id}/anonymise`, { method: 'POST', query: { dryRun } })

/** Asks for the name of the record, because it cannot be undone. */
export const AnonymiseDialog = (props: DialogProps): ReactNode => {
  const { entity, id, name, onClose } = props
  const { person: texts } = useWorkTexts()
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const plan = useQuery({
    queryKey: [userKey, 'anonymise', entity.key, id],
    queryFn: () => anonymise(props, true),
  })
  const done = useMutation({
    mutationFn: () => anonymise(props, false),
    onSuccess: async () => {
      onClose()
      await client.resetQueries({ queryKey: [userKey, 'record', entity.key, id] })
      void client.invalidateQueries({ queryKey: [userKey] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (typed.trim() === name.trim()) done.mutate()
  }
  const nameOfField = (key: string) => entity.fields.find((field) => field.key === key)?.name ?? key
  return (
    <Dialog title={texts.anonymiseTitle(name)} onClose={onClose}>
      <p>{texts.anonymiseHint}</p>
      {!plan.data && (plan.error ? <ProblemNote error={plan.error} /> : <Waiting />)}
      {plan.data && (
        <form onSubmit={submit}>
          <p dir="auto">{texts.fields(plan.data.fields.map(nameOfField).join(', '))}</p>
          <p>{texts.rows(sumOf(plan.data.rows), sumOf(plan.data.elsewhere))}</p>
          <p>{texts.staysElsewhere}</p>
          <label className="field-row">
            <span dir="auto">{texts.typeName(name)}</span>
            <input
              className="field-input"
              type="text"
              autoComplete="off"
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          </label>
          {done.error && <p role="alert">{done.error.message}</p>}
          <DialogActions onCancel={onClose}>
            <Button
              type="submit"
              look="danger"
              disabled={typed.trim() !== name.trim() || done.isPending}
            >
              {texts.anonymiseNow}
            </Button>
          </DialogActions>
        </form>
      )}
    </Dialog>
  )
}

type DataProps = Pick<DialogProps, 'id' | 'name' | 'onClose'>

/** What is stored about a user, as a number of rows and as a file. */
export const PersonDataDialog = ({ id, name, onClose }: DataProps): ReactNode => {
  const { person: texts } = useWorkTexts()
  const { data, error } = useQuery({
    queryKey: [userKey, 'personData', id],
    queryFn: () => request<PersonData>(`/api/people/${id}/data`),
  })
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!data) return
    const made = URL.createObjectURL(
      new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }),
    )
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [data])
  return (
    <Dialog title={name} onClose={onClose}>
      {!data && (error ? <ProblemNote error={error} /> : <Waiting />)}
      {data && <Stored data={data} userId={id} />}
      <DialogActions onCancel={onClose}>
        {address !== undefined && (
          <a className="button" data-look="primary" href={address} download={`user-${id}.json`}>
            {texts.download}
          </a>
        )}
      </DialogActions>
    </Dialog>
  )
}

type StoredProps = { readonly data: PersonData; readonly userId: number }

/** How many records link to the user, by entity and field, and how much else the service keeps. */
const Stored = ({ data: { links, kept }, userId }: StoredProps): ReactNode => {
  const { person: texts } = useWorkTexts()
  const { entities } = useSession()
  const { format } = new Intl.NumberFormat(useReading().locale)
  return (
    <>
      <p>{texts.data(format(sumOf(links)), format(sumOf(kept)))}</p>
      <ul>
        {links.map(({ entity: key, field: fieldKey, rows }) => {
          const entity = entities.get(key)
          const field = entity?.fields.find((one) => one.key === fieldKey)
          return (
            <li key={`${key} ${fieldKey}`}>
              <Link to="/$entity" params={{ entity: key }} search={{ w: { [fieldKey]: userId } }}>
                <bdi>{entity?.pluralName ?? key}</bdi>
              </Link>
              {' · '}
              <bdi>{field ? labelOf(field) : fieldKey}</bdi>: {format(rows)}
            </li>
          )
        })}
      </ul>
      <p>{texts.dataNoted}</p>
    </>
  )
}
