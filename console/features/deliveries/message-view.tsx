/** A message as people read it: as a page in a frame of its own, as text, and what else was sent with it. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import {
  type Delivery,
  type DeliveryAttachment,
  type DeliveryMessage,
  deliveryMessageQuery,
} from '../../api/admin/deliveries.ts'
import { urlOf } from '../../api/client.ts'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { type AdminTexts, useAdminTexts } from '../../texts/admin/texts.ts'
import { formatBytes } from '../export/format-bytes.ts'
import { useReading } from '../session/session.ts'
import './deliveries.css'

type ViewKey = 'html' | 'text' | 'headers' | 'data'

/** The views that a message has something for. */
const viewsOf = (
  { html, text, headers, template }: DeliveryMessage,
  channel: Delivery['channel'],
  { deliveries: texts }: AdminTexts,
): readonly { readonly value: ViewKey; readonly label: string }[] => [
  ...(html !== null ? [{ value: 'html', label: texts.html } as const] : []),
  ...(template ? [{ value: 'data', label: texts.data } as const] : []),
  ...(text !== ''
    ? [{ value: 'text', label: channel === 'webhook' ? texts.request : texts.text } as const]
    : []),
  ...(Object.keys(headers).length > 0 ? [{ value: 'headers', label: texts.headers } as const] : []),
]

export const MessageView = ({ delivery }: { readonly delivery: Delivery }): ReactNode => {
  const texts = useAdminTexts()
  const message = useQuery(deliveryMessageQuery(delivery.id, delivery.status))
  const [chosen, setChosen] = useState<ViewKey>()
  if (message.error) return <ProblemNote error={message.error} />
  if (!message.data) return <Waiting />
  const views = viewsOf(message.data, delivery.channel, texts)
  const view = views.find(({ value }) => value === chosen) ?? views[0]
  return (
    <div className="admin-stack">
      <div className="admin-row">
        {view && (
          <Tabs
            label={texts.deliveries.message}
            value={view.value}
            tabs={views}
            onChange={setChosen}
          />
        )}
        <small className="admin-note">
          {message.data.as_sent ? texts.deliveries.asSent : texts.deliveries.asNow}
        </small>
      </div>
      {view && <View view={view.value} message={message.data} delivery={delivery} />}
    </div>
  )
}

type ViewProps = {
  readonly view: ViewKey
  readonly message: DeliveryMessage
  readonly delivery: Delivery
}

const View = ({ view, message, delivery }: ViewProps): ReactNode => {
  const { deliveries: texts } = useAdminTexts()
  const { template, headers, text } = message
  if (view === 'html')
    return (
      // The service forbids the page in it scripts, and an origin.
      <iframe
        className="delivery-frame"
        title={texts.frame}
        sandbox=""
        src={urlOf(`/api/deliveries/${delivery.id}/message.html`)}
      />
    )
  if (view === 'data')
    return (
      <>
        <p>{texts.template(template?.id ?? '')}</p>
        <Code text={JSON.stringify(template?.data, null, 2)} />
      </>
    )
  if (view === 'headers')
    return (
      <Code
        text={Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}`)
          .join('\n')}
      />
    )
  return <Code text={delivery.channel === 'webhook' ? indented(text) : text} />
}

const Code = ({ text }: { readonly text: string }): ReactNode => (
  <pre className="admin-code" dir="auto">
    {text}
  </pre>
)

/** A body of JSON for people, unless that would change a digit of it. */
const indented = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
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
  if (fault !== null)
    return (
      <>
        <bdi>{filename}</bdi> <span className="admin-error">{texts.fault(fault)}</span>
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
        {mimetype} {size !== null && formatBytes(size, locale)}
      </small>
    </>
  )
}
