/** Makes the e-mail of a delivery: from a template here, or as data for one at the provider. */
import { setImmediate } from 'node:timers/promises'
import { compile } from 'html-to-text'
import { renderTemplate } from '../templates/liquid-template.ts'
import type { TakenDelivery } from './delivery-store.ts'
import type { Attachment, Email } from './email.ts'
import { DeliveryError } from './provider.ts'
import type { TemplateChoice } from './template-choice.ts'
import type { TemplateLibrary } from './template-library.ts'

/** A document behind a link, because it is too large to be sent. */
export type AttachmentLink = {
  readonly filename: string
  readonly url: string
  /** Day of the link's end. */
  readonly until: string
}

/** The documents of a mailing, as its e-mails carry them. */
export type MailingDocuments = {
  readonly attachments: readonly Attachment[]
  readonly links: readonly AttachmentLink[]
  /** Names of those that could not be made. */
  readonly missing: readonly string[]
}

export type ComposeDeps = TemplateChoice & {
  readonly libraryOf: () => Promise<TemplateLibrary>
  /** Where people reach the service, without a slash at its end; its host is the domain of message ids. */
  readonly publicUrl: string
  readonly documentsOf: () => Promise<MailingDocuments>
  /** Where one click ends e-mails of this kind; undefined where the service has no public address. */
  readonly unsubscribeUrlOf: (delivery: TakenDelivery) => string | undefined
}

/** Throws a SendFault where the e-mail cannot be made. */
export const composeEmail = async (deps: ComposeDeps, delivery: TakenDelivery): Promise<Email> => {
  if (!delivery.is_active)
    throw new DeliveryError('The recipient may not use the service any more.', { verdict: 'never' })
  const templateId = delivery.template_id ?? deps.defaultTemplateId
  const isRemote = deps.templates === 'provider' && templateId !== undefined
  const documents = await deps.documentsOf()
  const unsubscribeUrl = deps.unsubscribeUrlOf(delivery)
  const data = dataOf(deps, delivery, { documents, unsubscribeUrl })
  const library = await deps.libraryOf()
  const template = await (isRemote ? library.builtIn() : findTemplate(library, templateId))
  // Many e-mails are made one after the other: what else this thread does has its turn between them.
  await setImmediate()
  const html = renderTemplate(template.html, data)
  return {
    messageId: messageIdOf(delivery, deps.publicUrl),
    // A header is one line, whatever stands in the record.
    to: { name: oneLine(delivery.full_name), address: delivery.address },
    subject: oneLine(renderTemplate(template.subject, data)),
    text: toText(html),
    html: isRemote ? undefined : html,
    templateId: isRemote ? templateId : undefined,
    templateData: data,
    attachments: documents.attachments,
    unsubscribeUrl,
  }
}

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()

// Compiled once, which is most of the work.
const toText = compile({ wordwrap: 78 })

// An id without a file may be meant for a provider; docket check and the start warn of it.
const findTemplate = async (library: TemplateLibrary, id: string | undefined) => {
  if (id === undefined) return library.builtIn()
  const issue = library.broken.get(id)
  if (issue !== undefined) throw new DeliveryError(issue, { verdict: 'again' })
  return library.templates.get(id) ?? library.builtIn()
}

const messageIdOf = ({ event, entry, user_id: user }: TakenDelivery, publicUrl: string): string => {
  const left = [event, entry, user].join('.').replaceAll(/[^\w.+-]+/g, '-')
  return `<${left}@${new URL(publicUrl).hostname}>`
}

type Carried = {
  readonly documents: MailingDocuments
  readonly unsubscribeUrl: string | undefined
}

const dataOf = (
  { publicUrl }: ComposeDeps,
  { data, content, user_id: id, full_name, address }: TakenDelivery,
  { documents: { attachments, links, missing }, unsubscribeUrl }: Carried,
) => ({
  ...data,
  recipient: { id, full_name, email: address },
  title: content?.title ?? '',
  message: content?.message ?? '',
  // Absent, not empty: an empty text counts as true in Liquid.
  url: absoluteUrl(content?.url ?? '', publicUrl),
  attachments: attachments.map(({ filename, mimetype }) => ({ filename, mimetype })),
  links,
  missing,
  unsubscribe_url: unsubscribeUrl ?? null,
})

// In an e-mail a path leads nowhere, and what is neither a path nor of the web is no link.
const absoluteUrl = (url: string, publicUrl: string): string | null => {
  if (/^\/(?!\/)/.test(url)) return publicUrl + url
  return /^https?:\/\//i.test(url) ? url : null
}
