/** A delivery, templates and the e-mail that is composed of them. */
import type { TakenDelivery } from '../../../src/deliveries/sending/taken-delivery.ts'
import {
  type ComposeDeps,
  composeEmail,
  type EmailAttachments,
} from '../../../src/email/compose-email.ts'
import { builtInTemplate, compileEmailTemplate } from '../../../src/email/email-template.ts'

const mjml = (text: string) =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>${text}</mj-text></mj-column></mj-section></mj-body></mjml>`
export const compiled = (subject: string, text: string, locale?: string) =>
  compileEmailTemplate(`---\nsubject: ${subject}\n---\n${mjml(text)}`, locale)

const compiledOnce = await compileEmailTemplate(builtInTemplate())
export const builtIn = async () => compiledOnce
export const own = await compiled('Own {{ record.number }}', 'Own: {{ record.notes }} {{ url }}')

export const aDelivery = (values: Partial<TakenDelivery> = {}): TakenDelivery => ({
  id: 1,
  mailing_id: 2,
  event: '4d4c1a9c-5f7e-4c0a-9d53-0b7f3f0a0001',
  entry: '0',
  entity_key: 'order',
  operation: 'create',
  template_id: null,
  data: {
    record: { id: 12, number: 'PO-1', notes: 'first' },
    actor: { full_name: 'Boris' },
    entity: { key: 'order', name: 'Order' },
    action: {},
    comment: null,
  },
  tries: 1,
  user_id: 7,
  address: 'anna@example.com',
  full_name: 'Anna Example',
  role_key: 'buyer',
  has_documents: true,
  audience: '',
  is_active: true,
  entity_id: 1,
  notification_id: '019df21b-c740-7a17-b6c0-93a1905f2457',
  notified_at: '2026-05-04T08:30:00.000Z',
  target: null,
  traceparent: null,
  content: {
    icon: 'plus',
    due_at: null,
    title: 'New: Order PO-1',
    message: 'Boris created\nOrder PO-1.',
    url: null,
  },
  ...values,
})

const noDocuments: EmailAttachments = { attachments: [], links: [], missing: [] }
/** Composes the e-mail of a delivery with the given values, by default with the templates of a project. */
export const compose = (
  delivery: Partial<TakenDelivery> = {},
  {
    templates = 'project',
    documents = noDocuments,
    ...deps
  }: Partial<ComposeDeps> & {
    templates?: 'project' | 'provider'
    documents?: EmailAttachments
  } = {},
) =>
  composeEmail(
    {
      templates,
      libraryOf: async () => ({ templates: new Map([['own', own]]), broken: new Map(), builtIn }),
      defaultTemplateId: undefined,
      reading: { locale: undefined, timeZone: 'UTC' },
      publicUrl: 'https://docket.example.com/base',
      attachmentsOf: async () => documents,
      unsubscribeUrlOf: () => 'https://docket.example.com/base/u?token=a.b',
      ...deps,
    },
    aDelivery(delivery),
  )
