/** A new record of an entity. */
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { FormEvent, ReactNode } from 'react'
import type { Entity } from '../api/types.ts'
import { FieldRow } from '../features/record/field-row.tsx'
import { issueOf, ownFields } from '../features/record/fields.tsx'
import { useNewRecord } from '../features/record/use-new-record.ts'
import { useSession } from '../features/session/session.ts'
import { Button } from '../parts/button.tsx'
import { useTexts } from '../texts/texts.ts'
import { NotFound } from './not-found.tsx'
import './new-record.css'

export const NewRecord = (): ReactNode => {
  const { entity: key } = useParams({ from: '/$entity/new' })
  const entity = useSession().entities.get(key)
  if (!entity?.permissions.create) return <NotFound />
  return <Form key={key} entity={entity} />
}

const Form = ({ entity }: { readonly entity: Entity }): ReactNode => {
  const { record, common } = useTexts()
  const navigate = useNavigate()
  const { values, create, setValue } = useNewRecord(entity, (id) =>
    navigate({ to: '/$entity/$id', params: { entity: entity.key, id: `${id}` }, replace: true }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <div className="new-record">
      <header>
        <Link to="/$entity" params={{ entity: entity.key }}>
          <span dir="auto">{entity.name}</span>
        </Link>
        <h1 dir="auto">{record.newOf(entity.name)}</h1>
      </header>
      <form className="fields" onSubmit={submit}>
        {ownFields(entity).map((field) => {
          const column = field.column ?? field.key
          return (
            <FieldRow
              key={column}
              field={field}
              value={values.get(column) ?? null}
              isReadOnly={false}
              issue={issueOf(create.error, column)}
              onChange={(value) => value !== undefined && setValue(column, value)}
            />
          )
        })}
        <div className="save-bar">
          <span role="status">
            {create.error && <span role="alert">{create.error.message}</span>}
          </span>
          <Link to="/$entity" params={{ entity: entity.key }} className="button" data-look="quiet">
            {common.cancel}
          </Link>
          <Button type="submit" look="primary" disabled={create.isPending}>
            {record.create}
          </Button>
        </div>
      </form>
    </div>
  )
}
