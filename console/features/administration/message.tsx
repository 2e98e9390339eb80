/** The message of a delivery or a caught e-mail, part by part, and its attachments with what went wrong with them. */
import { type ReactNode, useState } from 'react'
import {
  type Delivery,
  type DeliveryAttachment,
  type DeliveryMessage,
  deliveryMessageQuery,
} from '../../api/admin/queue.ts'
import { urlOf } from '../../api/client.ts'
import { Tabs } from '../../parts/tabs.tsx'
import { type AdminTexts, useAdminTexts } from '../../texts/texts.ts'
import './administration.css'
import { useQuery } from '@tanstack/react-query'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { formatBytes } from '../format/format-bytes.ts'
import { useReading } from '../session/session.ts'

type Message = Pick<DeliveryMessage, 'headers' | 'text' | 'html' | 'template'>
type ViewKey = 'html' | 'text' | 'headers' | 'data'

type PartsProps = {
  readonly message: Message
  /** The path of its HTML at the service. */
  readonly framePath: string
  /** Whether its text is the body of a request. */
  readonly isRequest?: boolean
  readonly note: string
}

/** The views that a message has something for. */
const viewsOf = (
  { html, text, headers, template }: Message,
  isRequest: boolean,
  { deliveries: texts }: AdminTexts,
): readonly { readonly value: ViewKey; readonly label: string }[] => [
  ...(html !== null ? [{ value: 'html', label: texts.html } as const] : []),
  ...(template ? [{ value: 'data', label: texts.data } as const] : []),
  ...(text !== ''
    ? [{ value: 'text', label: isRequest ? texts.request : texts.text } as const]
    : []),
  ...(Object.keys(headers).length > 0 ? [{ value: 'headers', label: texts.headers } as const] : []),
]

export const MessageParts = ({
  message,
  framePath,
  isRequest = false,
  note,
}: PartsProps): ReactNode => {
  const texts = useAdminTexts()
  const [chosen, setChosen] = useState<ViewKey>()
  const views = viewsOf(message, isRequest, texts)
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
        <small className="admin-note">{note}</small>
      </div>
      {view && (
        <View view={view.value} message={message} framePath={framePath} isRequest={isRequest} />
      )}
    </div>
  )
}

type ViewProps = Omit<PartsProps, 'note'> & { readonly view: ViewKey }

const View = ({ view, message, framePath, isRequest }: ViewProps): ReactNode => {
  const { deliveries: texts } = useAdminTexts()
  const { template, headers, text } = message
  if (view === 'html')
    // The service forbids the page in it scripts, and an origin.
    return (
      <iframe className="delivery-frame" title={texts.frame} sandbox="" src={urlOf(framePath)} />
    )
  if (view === 'data')
    return (
      <>
        <p>{texts.template(template?.id ?? '')}</p>
        <Code text={JSON.stringify(template?.data, null, 2)} />
      </>
    )
  if (view === 'headers') return <Code text={printHeaders(headers)} />
  return <Code text={isRequest ? indented(text) : text} />
}

const printHeaders = (headers: Message['headers']): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

const Code = ({ text }: { readonly text: string }): ReactNode => (
  <pre className="admin-code" dir="auto">
    {text}
  </pre>
)

/** A JSON body with indentation, unless parsing it would change a digit. */
const indented = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
}

export const MessageView = ({ delivery }: { readonly delivery: Delivery }): ReactNode => {
  const { deliveries: texts } = useAdminTexts()
  const message = useQuery(deliveryMessageQuery(delivery.id, delivery.status))
  if (message.error) return <ProblemNote error={message.error} />
  if (!message.data) return <Waiting />
  return (
    <MessageParts
      message={message.data}
      framePath={`/api/deliveries/${delivery.id}/message.html`}
      isRequest={delivery.channel !== 'email'}
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
