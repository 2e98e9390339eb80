/** The values of an entry of the history, each before and after; of tasks too. */
import type { ReactNode } from 'react'
import type { Entity, Field, HistoryEntry } from '../../api/types.ts'
import { useValueText } from '../forms/field-row.tsx'
import { useSession } from '../session/session.ts'
import { addressOf, outside } from '../values/address-of.ts'
import { labelOf } from '../values/columns.ts'
import './changed-values.css'

type ChangesProps = {
  readonly entry: Pick<HistoryEntry, 'changes' | 'operation' | 'task_id'>
  readonly entity: Entity
}

// What the form of a task asks for; that it was completed is said by the operation.
const taskColumns: ReadonlySet<string | null> = new Set(['description', 'due_date', 'assigne_id'])

/** The fields that an entry is about: those of the record, or of its task. */
const fieldsOf = (
  { task_id: taskId }: ChangesProps['entry'],
  { fields }: Entity,
  entities: ReadonlyMap<string, Entity>,
): readonly Field[] =>
  taskId === null
    ? fields.filter(({ isSystem }) => !isSystem)
    : (entities.get('task')?.fields ?? []).filter(({ column }) => taskColumns.has(column))

/** Nothing for a record that was created: it has these values. */
export const ChangedValues = ({ entry, entity }: ChangesProps): ReactNode => {
  const { entities } = useSession()
  const fields = fieldsOf(entry, entity, entities)
  const owner = (entry.task_id === null ? undefined : entities.get('task')) ?? entity
  const changes = Object.entries(entry.changes).flatMap(([column, change]) => {
    const field = fields.find((one) => one.column === column)
    return field ? [{ column, field, ...change }] : []
  })
  if (changes.length === 0 || entry.operation === 'create') return null
  return (
    <ul className="changed-values">
      {changes.map(({ column, field, ...change }) => (
        <li key={column} dir="auto">
          {labelOf(field)}:{' '}
          {isFilled(change.before) && (
            <>
              <del>
                <Value owner={owner} field={field} value={change.before} />
              </del>{' '}
            </>
          )}
          <ins>
            <Value owner={owner} field={field} value={change.after} />
          </ins>
        </li>
      ))}
    </ul>
  )
}

/** What was empty says nothing of what it is now. */
const isFilled = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

type ValueProps = { readonly field: Field; readonly value: unknown; readonly owner: Entity }

const Value = ({ field, value, owner }: ValueProps): ReactNode => {
  const text = useValueText(value, field, { owner }) || '–'
  const href = addressOf(value, field)
  return href === undefined ? (
    text
  ) : (
    <a href={href} {...outside}>
      {text}
    </a>
  )
}
