/** A new record of an entity. */
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useRef } from 'react'
import { ApiProblem } from '../api/client.ts'
import { isUnread } from '../api/record.ts'
import type { Entity, Field, RecordRow } from '../api/types.ts'
import { isFileField } from '../features/files/file-values.ts'
import { kindOf } from '../features/format/field-kinds.ts'
import { unitIn } from '../features/forms/draft.ts'
import {
  type Entered,
  fieldIssues,
  IssueLinks,
  useFaults,
  useFirstIssue,
  wholeMessage,
} from '../features/forms/field-issues.tsx'
import { FieldRow } from '../features/forms/field-row.tsx'
import { LeaveDialog } from '../features/forms/open-form.tsx'
import type { CheckLines } from '../features/lines/new-lines.tsx'
import { useNewRecord } from '../features/record/edited-record.ts'
import { nameOf } from '../features/record/record-head.tsx'
import type { NewRecordSearch } from '../features/record/record-search.ts'
import { PageHeading } from '../features/session/page-title.tsx'
import { useSession } from '../features/session/session.ts'
import { useShortcuts } from '../features/session/shortcuts.ts'
import { choiceCondition } from '../features/values/choice-condition.ts'
import { isChosen } from '../features/values/columns.ts'
import { isBlank } from '../features/values/entered.ts'
import { columnOf, isEntered, ownFields } from '../features/values/own-fields.ts'
import { TypedRecipients } from '../features/values/recipients-note.tsx'
import { Button } from '../parts/button.tsx'
import { firstField, usePageFocus } from '../parts/focus.ts'
import { laterPart } from '../parts/later.tsx'
import { useTexts, useWorkTexts, type WorkTexts } from '../texts/texts.ts'
import { NotFound } from './not-found.tsx'
import '../features/record/record.css'

const NewLines = laterPart(async () => (await import('../features/lines/new-lines.tsx')).NewLines)

export const NewRecord = (): ReactNode => {
  const { entity: key } = useParams({ from: '/$entity/new' })
  const entity = useSession().entities.get(key)
  if (!entity?.permissions.create) return <NotFound />
  return <Form key={key} entity={entity} />
}

/** The values of the address that the entity has fields for. */
const givenValues = (
  { fields }: Entity,
  { values = {} }: NewRecordSearch,
): readonly (readonly [string, unknown])[] =>
  fields
    // A new record has no files to name.
    .filter((field) => isEntered(field) && !isFileField(field))
    .flatMap(({ column }) =>
      column !== null && Object.hasOwn(values, column) ? [[column, values[column]] as const] : [],
    )

type Parent = {
  readonly entity: Entity
  readonly id: number
  /** The one-to-many field of the parent that lists the new record. */
  readonly field: Field
}

/** The record that the new one belongs to: one of the values links to it, and one of its fields lists such records. */
const parentOf = (
  entity: Entity,
  search: NewRecordSearch,
  entities: ReadonlyMap<string, Entity>,
): Parent | undefined => {
  for (const [column, id] of givenValues(entity, search)) {
    const link = entity.fields.find((one) => one.column === column)
    const target = entities.get(link?.entity ?? '')
    const field = target?.fields.find(
      ({ type, entity: child, mappedBy }) =>
        kindOf({ type }).isList && child === entity.key && mappedBy === link?.key,
    )
    if (target && field && typeof id === 'number') return { entity: target, id, field }
  }
  return undefined
}

/** Where the page leads back to, and where after creating: the record that the new one belongs to, or the new one itself. */
const useWay = (entity: Entity) => {
  const { entities } = useSession()
  const search = useSearch({ from: '/$entity/new' })
  const navigate = useNavigate()
  const parent = parentOf(entity, search, entities)
  const back = parent
    ? ({
        to: '/$entity/$id',
        params: { entity: parent.entity.key, id: `${parent.id}` },
        hash: parent.field.key,
      } as const)
    : ({ to: '/$entity', params: { entity: entity.key } } as const)
  const leave = (made: RecordRow, stay: () => void) => {
    // There is no page of a record that its creator may not read.
    if (isUnread(made)) return stay()
    const own = { to: '/$entity/$id', params: { entity: entity.key, id: `${made.id}` } } as const
    return void navigate({ replace: true, ...(parent ? back : own) })
  }
  return { given: givenValues(entity, search), back, leave, hasParent: parent !== undefined }
}

/** The entered values. An empty field takes its default, and the service derives some values of its own entities. */
const enteredIn = (entity: Entity, values: ReadonlyMap<string, unknown>): readonly Entered[] =>
  ownFields(entity)
    .filter(isEntered)
    .map((field) => ({
      field,
      value: values.get(columnOf(field)),
      isNeeded: field.required === true && isBlank(field.default) && !entity.isNative,
    }))

/** What was refused of the record as a whole, and how much of its lines. */
const Refusal = ({ error }: { readonly error: Error }): ReactNode => {
  const { faults } = useWorkTexts().lines
  const issues = error instanceof ApiProblem ? error.issues : []
  const count = issues.filter(({ path }) => /^\w+\.create\[/.test(path)).length
  return (
    <span role="alert">
      {wholeMessage(error)} {count > 0 && faults(count)}
    </span>
  )
}

const createdText = (entity: Entity, record: RecordRow, texts: WorkTexts['record']): string =>
  isUnread(record) ? texts.savedUnread : texts.created(nameOf(entity, record))

const Form = ({ entity }: { readonly entity: Entity }): ReactNode => {
  const { record, common } = useTexts()
  const { drafts, record: recordPage } = useWorkTexts()
  const { entities } = useSession()
  const { given, back, leave, hasParent } = useWay(entity)
  const edited = useNewRecord(entity, given)
  const { values, create, setValue, restart } = edited
  const form = useRef<HTMLFormElement>(null)
  usePageFocus(form)
  const { faults, isFit, forgetFaults, formProps } = useFaults(form, enteredIn(entity, values))
  const issues = fieldIssues(
    entity,
    { error: create.error, values: create.variables, faults },
    values,
  )
  useFirstIssue(form, create.error, issues)
  useShortcuts([{ keys: 'Ctrl+s', label: record.create, run: () => form.current?.requestSubmit() }])
  const checks = useRef<CheckLines>(new Map())
  const areFit = () => [isFit(), ...[...checks.current.values()].map((one) => one())].every(Boolean)
  const startAgain = (begin = restart) => {
    begin()
    forgetFaults()
  }
  const discard = () => startAgain(edited.discard)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (areFit()) create.mutate(values, { onSuccess: (made) => leave(made, startAgain) })
  }
  const createAnother = () => {
    if (!areFit()) return
    create.mutate(values, {
      onSuccess: () => {
        startAgain()
        firstField(form.current)?.focus()
      },
    })
  }
  return (
    <div className="new-record">
      <header>
        <Link to="/$entity" params={{ entity: entity.key }}>
          <span dir="auto">{entity.pluralName}</span>
        </Link>
        <PageHeading title={recordPage.newOf(entity.name)} />
      </header>
      <LeaveDialog isUnsaved={edited.isUnsaved} onDiscard={discard} />
      <form ref={form} {...formProps} className="fields" onSubmit={submit}>
        {ownFields(entity)
          .filter((field) =>
            isEntered(field)
              ? field.required || isChosen(field, entities)
              : field.series?.on === 'create',
          )
          .map((field) => {
            const column = columnOf(field)
            const isGiven = field.series !== undefined
            return (
              <FieldRow
                key={column}
                field={field}
                value={values.get(column) ?? null}
                linked={isGiven ? recordPage.givenWhenSaved : undefined}
                choices={choiceCondition(entity, field, (name) => values.get(name))}
                unit={unitIn(field, { entity, entities, record: { id: 0 }, draft: values })}
                isReadOnly={isGiven}
                isGiven={given.some(([name]) => name === column)}
                issue={issues.get(column)?.text}
                onChange={(value) => value !== undefined && setValue(column, value)}
              />
            )
          })}
        <NewLines
          entity={entity}
          values={values}
          onValue={setValue}
          error={create.error}
          sent={create.variables}
          isSaving={create.isPending}
          checks={checks.current}
        />
        <TypedRecipients
          entity={entity}
          // Empty fields take their defaults, and lines are records of their own.
          values={
            new Map([...values].filter(([, value]) => value !== null && !Array.isArray(value)))
          }
          intent={{ operation: 'create' }}
        />
        <div className="save-bar">
          {issues.size > 0 && <IssueLinks issues={issues} form={form} error={create.error} />}
          <span role="status" hidden={issues.size > 0}>
            {create.error && <Refusal error={create.error} />}
            {edited.isRestored && <span className="save-note">{drafts.restored}</span>}
            {create.data && createdText(entity, create.data, recordPage)}
          </span>
          {edited.isRestored && <Button onClick={discard}>{recordPage.discard}</Button>}
          <Link {...back} className="button" data-look="quiet">
            {common.cancel}
          </Link>
          {hasParent && (
            <Button disabled={create.isPending} onClick={createAnother}>
              {recordPage.createAnother}
            </Button>
          )}
          <Button type="submit" look="primary" disabled={create.isPending}>
            {record.create}
          </Button>
        </div>
      </form>
    </div>
  )
}
