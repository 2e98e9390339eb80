/** One caught e-mail, as it would have been sent. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { mailPath, mailQuery } from '../../api/admin/mail.ts'
import { urlOf } from '../../api/client.ts'
import { MessageParts } from '../../features/administration/message.tsx'
import { formatBytes } from '../../features/format/format-bytes.ts'
import { PageHeading, PageTitle } from '../../features/session/page-title.tsx'
import { useReading } from '../../features/session/session.ts'
import { Facts } from '../../parts/facts.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import './admin.css'

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
