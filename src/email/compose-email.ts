/** Makes the e-mail of a delivery: from a template here, or as data for one at the provider. */
import { setImmediate } from 'node:timers/promises'
import { compile } from 'html-to-text'
import { DeliveryError } from '../retry-policy.ts'
import { renderTemplate } from '../templates/liquid-template.ts'
import type { Attachment, Email } from './email.ts'
import type { TemplateChoice } from './template-choice.ts'
import type { TemplateLibrary } from './template-library.ts'

/** A document behind a link, because it is too large to be sent. */
export type AttachmentLink = {
  readonly filename: string
  readonly url: string
  /** Day of the link's end. */
  readonly until: string
}

/** What an e-mail carries beside its text. */
export type EmailAttachments = {
  readonly attachments: readonly Attachment[]
  readonly links: readonly AttachmentLink[]
  /** Names of those that could not be made. */
  readonly missing: readonly string[]
}

/** What an e-mail says, and to whom. */
export type EmailMessage = {
  readonly event: string
  readonly entry: string
  readonly entity_key: string
  readonly operation: string
  readonly template_id: string | null
  /** What templates read beside the recipient. */
  readonly data: object
  readonly user_id: number
  readonly address: string
  readonly full_name: string
  /** False where the recipient was blocked or removed since. */
  readonly is_active: boolean
  /** The stored notification; null where it was removed since. */
  readonly content: {
    readonly title: string
    readonly message: string
    readonly url: string | null
  } | null
}

export type ComposeDeps = TemplateChoice & {
  readonly libraryOf: () => Promise<TemplateLibrary>
  /** Where people reach the service, without a slash at its end; its host is the domain of message ids. */
  readonly publicUrl: string
  readonly attachmentsOf: () => Promise<EmailAttachments>
  /** Where one click ends e-mails of this kind; undefined where the service has no public address. */
  readonly unsubscribeUrlOf: (message: EmailMessage) => string | undefined
}

/** Throws a DeliveryError where the e-mail cannot be made. */
export const composeEmail = async (deps: ComposeDeps, message: EmailMessage): Promise<Email> => {
  if (!message.is_active || message.address === '')
    throw new DeliveryError('The recipient may not use the service any more.', { retryable: false })
  const templateId = message.template_id ?? deps.defaultTemplateId
  const isRemote = deps.templates === 'provider' && templateId !== undefined
  const carried = await deps.attachmentsOf()
  const unsubscribeUrl = deps.unsubscribeUrlOf(message)
  const data = dataOf(deps, message, { carried, unsubscribeUrl })
  const library = await deps.libraryOf()
  const template = await (isRemote ? library.builtIn() : findTemplate(library, templateId))
  // Many e-mails are made one after the other: what else this thread does has its turn between them.
  await setImmediate()
  const html = renderTemplate(template.html, data)
  return {
    messageId: messageIdOf(message, deps.publicUrl),
    // A header is one line, whatever stands in the record.
    to: { name: oneLine(message.full_name), address: message.address },
    subject: oneLine(renderTemplate(template.subject, data)),
    text: toText(html),
    html: isRemote ? undefined : html,
    templateId: isRemote ? templateId : undefined,
    templateData: data,
    attachments: carried.attachments,
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
  if (issue !== undefined) throw new DeliveryError(issue, { retryable: true })
  return library.templates.get(id) ?? library.builtIn()
}

const messageIdOf = ({ event, entry, user_id: user }: EmailMessage, publicUrl: string): string => {
  const left = [event, entry, user].join('.').replaceAll(/[^\w.+-]+/g, '-')
  return `<${left}@${new URL(publicUrl).hostname}>`
}

type Carried = {
  readonly carried: EmailAttachments
  readonly unsubscribeUrl: string | undefined
}

const dataOf = (
  { publicUrl }: ComposeDeps,
  { data, content, user_id: id, full_name, address }: EmailMessage,
  { carried: { attachments, links, missing }, unsubscribeUrl }: Carried,
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
