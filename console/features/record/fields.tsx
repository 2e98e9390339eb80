/** The fields of a record in the order of the definition, with a bar as long as changes are not saved. */
import type { ReactNode } from 'react'
import { ApiProblem } from '../../api/client.ts'
import type { Entity, Field, RecordRow } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { KeptRecord } from '../drafts/use-kept-record.ts'
import { FieldRow } from './field-row.tsx'
import './fields.css'

type FieldsProps = {
  readonly entity: Entity
  readonly edited: KeptRecord
  readonly mayChange: boolean
}

/** The fields that a record has a value of itself. */
export const ownFields = ({ fields }: Entity): readonly Field[] =>
  fields.filter(({ column, isSystem }) => column !== null && !isSystem)

/** What the record behind a link is called, as far as it came with the record. */
const linkedName = (
  record: RecordRow,
  field: Field,
  entities: ReadonlyMap<string, Entity>,
): string | undefined => {
  const linked = record[field.key]
  const target = entities.get(field.entity ?? '')
  if (field.type !== 'manyToOne' || !target || typeof linked !== 'object' || !linked)
    return undefined
  const name = (linked as Readonly<Record<string, unknown>>)[target.displayField]
  return name === null || name === undefined ? undefined : String(name)
}

/** The issue of a column in what the service said last. */
export const issueOf = (error: Error | null, column: string): string | undefined =>
  error instanceof ApiProblem
    ? error.issues.find(({ path }) => path === column || path === `values.${column}`)?.message
    : undefined

export const Fields = ({
  entity,
  edited,
  mayChange,
  entities,
}: FieldsProps & { readonly entities: ReadonlyMap<string, Entity> }): ReactNode => {
  const { base, draft, conflicts, save } = edited
  if (!base) return null
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      {ownFields(entity).map((field) => {
        const column = field.column ?? field.key
        return (
          <FieldRow
            key={column}
            field={field}
            value={edited.valueOf(column)}
            linked={draft.has(column) ? undefined : linkedName(base.record, field, entities)}
            isReadOnly={!mayChange}
            isChanged={draft.has(column)}
            issue={issueOf(save.error, column)}
            conflict={conflicts.find((one) => one.column === column)}
            onChange={(value) => value !== undefined && edited.setValue(column, value)}
            onKeepMine={() => edited.keepMine(column)}
          />
        )
      })}
      <SaveBar edited={edited} />
    </form>
  )
}

/** Others have saved meanwhile: what they changed is on the screen now. */
const isStale = (error: Error): boolean => error instanceof ApiProblem && error.status === 412

const SaveBar = ({ edited }: { readonly edited: KeptRecord }): ReactNode => {
  const { record, common, drafts } = useTexts()
  const { draft, save, conflicts, isRestored, isGone } = edited
  if (draft.size === 0) return null
  return (
    <div className="save-bar">
      <span role="status">
        {conflicts.length > 0 ? record.conflicts(conflicts.length) : record.unsaved(draft.size)}
      </span>
      {isRestored && <span className="save-note">{drafts.restored}</span>}
      {save.error && conflicts.length === 0 && (
        <span role="alert">{isStale(save.error) ? record.merged : save.error.message}</span>
      )}
      <Button look="quiet" onClick={edited.discard}>
        {record.discard}
      </Button>
      <Button
        type="submit"
        look="primary"
        disabled={save.isPending || conflicts.length > 0 || isGone}
      >
        {common.save}
      </Button>
    </div>
  )
}
