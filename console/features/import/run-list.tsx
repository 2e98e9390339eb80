/** The imports of a user into an entity. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type ImportRun, runsQuery } from '../../api/records/imports.ts'
import type { Entity } from '../../api/types.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { TitledSection } from '../../parts/sections.tsx'
import { formatMoment } from '../format/format-value.ts'
import { useReading, useSession } from '../session/session.ts'
import { useImportTexts } from './import-texts.ts'

export const RunList = ({ entity }: { readonly entity: Entity }): ReactNode => {
  const texts = useImportTexts().list
  const reading = useReading()
  const { me } = useSession()
  const { data = [] } = useQuery(runsQuery)
  const own = data.filter((run) => run.entity === entity.key && run.user_id === me.id)
  if (own.length === 0) return null
  const nameOf = ({ file_name: name }: ImportRun) => name ?? texts.unnamed
  return (
    <TitledSection title={texts.title}>
      <DataTable
        label={texts.title}
        rows={own}
        keyOf={({ id }) => id}
        columns={[
          {
            key: 'file',
            label: texts.file,
            isWide: true,
            render: (run) => (
              <Link
                to="/$entity/import"
                params={{ entity: entity.key }}
                search={{ run: run.id }}
                aria-label={texts.open(nameOf(run))}
                dir="auto"
              >
                {nameOf(run)}
              </Link>
            ),
          },
          { key: 'state', label: texts.state, render: ({ state }) => texts.states[state] },
          {
            key: 'rows',
            label: texts.rows,
            isNumeric: true,
            render: ({ rows }) => rows.toLocaleString(reading.locale),
          },
          {
            key: 'at',
            label: texts.at,
            render: ({ created_at: at }) => <time dateTime={at}>{formatMoment(at, reading)}</time>,
          },
        ]}
      />
    </TitledSection>
  )
}
