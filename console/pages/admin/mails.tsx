/** E-mails that were caught instead of sent, during development. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type MailFile, mailsQuery } from '../../api/admin/mail.ts'
import { Moment } from '../../features/administration/work-table.tsx'
import { formatBytes } from '../../features/format/format-bytes.ts'
import { PageHeading } from '../../features/session/page-title.tsx'
import { useReading } from '../../features/session/session.ts'
import { Button } from '../../parts/button.tsx'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts, useTexts } from '../../texts/texts.ts'
import './admin.css'

/** The address in the name of a file `<time>_<address>_<hash>.eml`; of other files the whole name. */
const addressOf = (name: string): string => {
  const [, address] = /^[\dT:.Z-]+_(.+)_[0-9a-f]{16}\.eml$/.exec(name) ?? []
  return address ?? name
}

export const Mails = (): ReactNode => {
  const { mail: texts } = useAdminTexts()
  return (
    <div className="admin-page">
      <header className="admin-head">
        <PageHeading title={texts.title} />
        <p className="admin-note">{texts.hint}</p>
      </header>
      <List />
    </div>
  )
}

const rowsAtOnce = 100

const List = (): ReactNode => {
  const { mail: texts, deliveries } = useAdminTexts()
  const { common } = useTexts()
  const { locale } = useReading()
  const mails = useQuery(mailsQuery)
  const [most, setMost] = useState(rowsAtOnce)
  if (mails.error) return <ProblemNote error={mails.error} />
  if (!mails.data) return <Waiting />
  if (mails.data.length === 0) return <EmptyNote title={texts.empty} />
  const columns: readonly TableColumn<MailFile>[] = [
    {
      key: 'to',
      label: deliveries.to,
      isWide: true,
      render: ({ name }) => (
        <Link to="/-/admin/mail/$name" params={{ name }}>
          <bdi>{addressOf(name)}</bdi>
        </Link>
      ),
    },
    { key: 'at', label: texts.caught, render: ({ at }) => <Moment at={at} /> },
    {
      key: 'size',
      label: texts.size,
      isNumeric: true,
      render: ({ size }) => formatBytes(size, locale),
    },
  ]
  return (
    <div className="admin-body">
      <DataTable
        label={texts.title}
        columns={columns}
        rows={mails.data.slice(0, most)}
        keyOf={({ name }) => name}
      />
      {mails.data.length > most && (
        <div className="more-rows">
          <Button onClick={() => setMost(most + rowsAtOnce)}>{common.more}</Button>
        </div>
      )}
    </div>
  )
}
