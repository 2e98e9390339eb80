/** E-mails that were caught instead of sent, during development: their list, and one of them as it would have been sent. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type MailFile, mailPath, mailQuery, mailsQuery } from '../../api/admin/mail.ts'
import { urlOf } from '../../api/client.ts'
import { MessageParts } from '../../features/administration/message.tsx'
import { Moment } from '../../features/administration/work-table.tsx'
import { formatBytes } from '../../features/format/format-bytes.ts'
import { MoreWork, useLimit } from '../../features/session/list-and-detail.tsx'
import { PageHeading, PageTitle } from '../../features/session/page-title.tsx'
import { useReading } from '../../features/session/session.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { Facts } from '../../parts/facts.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import './admin.css'

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

const pageSize = 100

const List = (): ReactNode => {
  const { mail: texts, deliveries } = useAdminTexts()
  const { locale } = useReading()
  const limit = useLimit(pageSize)
  const mails = useQuery(mailsQuery(limit.limit))
  if (mails.error) return <ProblemNote error={mails.error} />
  if (!mails.data) return <Waiting />
  if (mails.data.length === 0) return <EmptyNote title={texts.empty} />
  const columns: readonly TableColumn<MailFile>[] = [
    {
      key: 'to',
      label: deliveries.to,
      isWide: true,
      render: ({ address }) => <bdi>{address}</bdi>,
    },
    {
      key: 'subject',
      label: deliveries.subject,
      isWide: true,
      render: ({ name, subject }) => (
        <Link to="/-/admin/mail/$name" params={{ name }} dir="auto">
          {subject || deliveries.noSubject}
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
        rows={mails.data}
        keyOf={({ name }) => name}
      />
      {limit.hasMore(mails.data.length) && (
        <div className="more-rows">
          <MoreWork limit={limit} />
        </div>
      )}
    </div>
  )
}

/** One caught e-mail, as it would have been sent. */
export const Mail = (): ReactNode => {
  const { name } = useParams({ from: '/-/admin/mail/$name' })
  return <Page key={name} name={name} />
}

const Page = ({ name }: { readonly name: string }): ReactNode => {
  const { mail: texts, deliveries } = useAdminTexts()
  const { locale } = useReading()
  const mail = useQuery(mailQuery(name))
  if (mail.error)
    return (
      <>
        <PageTitle of={[texts.title]} />
        <ProblemNote error={mail.error} />
      </>
    )
  if (!mail.data) return <Waiting />
  const { address, subject, attachments } = mail.data
  const files = attachments.length > 0 && (
    <ul className="admin-list">
      {[...attachments.entries()].map(([index, { filename, mimetype, size }]) => (
        <li key={index}>
          <bdi>{filename}</bdi>{' '}
          <small className="admin-note">
            {mimetype} {formatBytes(size, locale)}
          </small>
        </li>
      ))}
    </ul>
  )
  return (
    <div className="admin-page">
      <header className="admin-head">
        <Link to="/-/admin/mail">{texts.all}</Link>
        <div className="admin-row">
          <PageHeading title={subject || deliveries.noSubject} within={texts.title} />
          <a href={urlOf(mailPath(name))} download={name} className="button">
            {texts.download}
          </a>
        </div>
      </header>
      <div className="admin-body">
        <div className="admin-sections">
          <Facts
            facts={[
              { label: deliveries.to, value: <bdi>{address}</bdi> },
              { label: deliveries.attachments, value: files },
            ]}
          />
          <MessageParts
            message={{ ...mail.data, template: null }}
            framePath={`${mailPath(name)}/message.html`}
            note={texts.caughtNote}
          />
        </div>
      </div>
    </div>
  )
}
