/** The values of an entry of the history, each before and after; of tasks too. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { nameQuery } from '../../api/record.ts'
import type { Entity, Field, HistoryEntry } from '../../api/types.ts'
import { labelOf } from '../list/columns.ts'
import { useReading, useSession } from '../session/session.ts'
import { formatValue } from '../values/format-value.ts'
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
          {'before' in change && (
            <>
              <del>
                <Value field={field} value={change.before} />
              </del>{' '}
            </>
          )}
          <ins>
            <Value field={field} value={change.after} />
          </ins>
        </li>
      ))}
    </ul>
  )
}

type ValueProps = { readonly field: Field; readonly value: unknown }

const Value = ({ field, value }: ValueProps): ReactNode => {
  const reading = useReading()
  const target = useSession().entities.get(field.entity ?? '')
  if (field.type === 'manyToOne' && typeof value === 'number' && target?.permissions.read)
    return <LinkedName target={target} id={value} />
  return formatValue(value, field, reading) || '–'
}

/** What a linked record is called; its id as long as it is not known, or may not be seen. */
const LinkedName = ({
  target,
  id,
}: {
  readonly target: Entity
  readonly id: number
}): ReactNode => {
  const { data } = useQuery(nameQuery(target, id))
  return String(data?.[target.displayField] ?? id)
}
