/** The message of a delivery, and its attachments with what went wrong with them. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import {
  type Delivery,
  type DeliveryAttachment,
  deliveryMessageQuery,
} from '../../api/admin/deliveries.ts'
import { urlOf } from '../../api/client.ts'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { formatBytes } from '../export/format-bytes.ts'
import { useReading } from '../session/session.ts'
import { MessageParts } from './message-parts.tsx'

export const MessageView = ({ delivery }: { readonly delivery: Delivery }): ReactNode => {
  const { deliveries: texts } = useAdminTexts()
  const message = useQuery(deliveryMessageQuery(delivery.id, delivery.status))
  if (message.error) return <ProblemNote error={message.error} />
  if (!message.data) return <Waiting />
  return (
    <MessageParts
      message={message.data}
      framePath={`/api/deliveries/${delivery.id}/message.html`}
      isRequest={delivery.channel === 'webhook'}
      note={message.data.as_sent ? texts.asSent : texts.asNow}
    />
  )
}

type AttachmentProps = { readonly delivery: Delivery }

export const Attachments = ({ delivery }: AttachmentProps): ReactNode => (
  <ul className="admin-list">
    {delivery.attachments.map((one) => (
      <li key={one.position}>
        <AttachmentItem attachment={one} deliveryId={delivery.id} />
      </li>
    ))}
  </ul>
)

type ItemProps = { readonly attachment: DeliveryAttachment; readonly deliveryId: number }

const AttachmentItem = ({ attachment, deliveryId }: ItemProps): ReactNode => {
  const { deliveries: texts } = useAdminTexts()
  const { locale } = useReading()
  const { filename, position, mimetype, size, fault } = attachment
  if (size === null)
    return (
      <>
        <bdi>{filename}</bdi> <span className="admin-error">{texts.fault(fault ?? '')}</span>
      </>
    )
  return (
    <>
      <a
        href={urlOf(`/api/deliveries/${deliveryId}/attachments/${position}`)}
        download
        aria-label={texts.download(filename)}
      >
        <bdi>{filename}</bdi>
      </a>{' '}
      <small className="admin-note">
        {mimetype} {formatBytes(size, locale)}
      </small>
      {fault !== null && <span className="admin-error"> {fault}</span>}
    </>
  )
}
