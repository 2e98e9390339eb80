/** A record in a line: its title, the first record that it links to, and its amount. */
import type { ReactNode } from 'react'
import type { Entity, RecordRow } from '../../api/types.ts'
import { useReading, useSession } from '../session/session.ts'
import { textAt } from '../values/columns.ts'
import { factColumns } from '../values/main-columns.ts'
import { RecordLink } from './record-link.tsx'
import './preview.css'

type FactsProps = { readonly entity: Entity; readonly record: RecordRow }

export const RecordFacts = ({ entity, record }: FactsProps): ReactNode => {
  const { entities } = useSession()
  const reading = useReading()
  const facts = factColumns(entity, entities).flatMap((column) => {
    const { link, path } = column
    const text = textAt(record, column, reading)
    return text === '' ? [] : [{ path, text, link, id: link && record[link.idColumn] }]
  })
  if (facts.length === 0) return null
  return (
    <ul className="record-facts">
      {facts.map(({ path, text, link, id }) => (
        <li key={path} dir="auto">
          {link?.entity !== undefined && typeof id === 'number' ? (
            <RecordLink entity={link.entity} id={id}>
              {text}
            </RecordLink>
          ) : (
            text
          )}
        </li>
      ))}
    </ul>
  )
}
