/**
 * Composes the e-mail of a delivery: from a template of the project, or as data for a template at the
 * provider.
 */
import { setImmediate } from 'node:timers/promises'
import { compile } from 'html-to-text'
import type { TemplateChoice } from '../../config/email-transport.ts'
import { renderTemplate } from '../../templates/liquid-template.ts'
import type { Reading } from '../../templates/local-filters.ts'
import { DeliveryError } from '../delivery.ts'
import type { Attachment, Email } from './email.ts'
import type { TemplateLibrary } from './template-library.ts'

/** An attachment behind a link, because it is too large to be sent. */
export type AttachmentLink = {
  readonly filename: string
  readonly url: string
  /** The last day on which the link is valid. */
  readonly until: string
}

/** The attachments of an e-mail. */
export type EmailAttachments = {
  readonly attachments: readonly Attachment[]
  readonly links: readonly AttachmentLink[]
  /** Names of attachments that could not be created. */
  readonly missing: readonly string[]
}

/** The content of an e-mail, and its recipient. */
export type EmailMessage = {
  readonly event: string
  readonly entry: string
  readonly entity_key: string
  readonly operation: string
  readonly template_id: string | null
  /** What templates read besides the recipient. */
  readonly data: object
  readonly user_id: number
  readonly address: string
  readonly full_name: string
  /** Where the rule sends replies; undefined: to the usual address. */
  readonly reply_to?: string | undefined
  /** False if the recipient was blocked or removed meanwhile. */
  readonly is_active: boolean
  /** The stored notification; null if it was removed meanwhile. */
  readonly content: {
    readonly title: string
    readonly message: string
    /** Whether the message says the comment of the action. */
    readonly has_comment?: boolean
    readonly url: string | null
  } | null
}

export type ComposeDeps = TemplateChoice & {
  readonly libraryOf: () => Promise<TemplateLibrary>
  /** Of numbers and dates in templates. */
  readonly reading: Reading
  /** Of e-mails whose rule says nothing else. */
  readonly replyTo: string | undefined
  /** The public address of the service, without a slash at its end; its host is the domain of message ids. */
  readonly publicUrl: string
  readonly attachmentsOf: () => Promise<EmailAttachments>
  /** The address to unsubscribe with one click; undefined if the service has no public address. */
  readonly unsubscribeUrlOf: (message: EmailMessage) => string | undefined
  /** Maximum characters of the HTML, for a thread that also answers requests. */
  readonly maxHtml?: number | undefined
}

/** Throws a DeliveryError if the e-mail cannot be composed. */
export const composeEmail = async (deps: ComposeDeps, message: EmailMessage): Promise<Email> => {
  if (!message.is_active || message.address === '')
    throw new DeliveryError('The recipient may not use the service any more.', { retryable: false })
  const templateId = message.template_id ?? deps.defaultTemplateId
  const isRemote = deps.templates === 'provider' && templateId !== undefined
  const carried = await deps.attachmentsOf()
  const unsubscribeUrl = deps.unsubscribeUrlOf(message)
  const data = dataOf(deps, message, { carried, unsubscribeUrl })
  const library = await (await deps.libraryOf()).inLanguage(deps.reading.locale)
  const template = await (isRemote ? library.builtIn() : findTemplate(library, templateId))
  // Many e-mails are composed in a row: other work of this thread runs between them.
  await setImmediate()
  const html = renderTemplate(template.html, data, deps.reading)
  if (html.length > (deps.maxHtml ?? Number.POSITIVE_INFINITY))
    throw new DeliveryError('The e-mail is too long to be shown before it is sent.', {
      retryable: false,
    })
  return {
    messageId: messageIdOf(message, deps.publicUrl),
    // A header is one line, whatever the record contains.
    to: { name: oneLine(message.full_name), address: message.address },
    replyTo: message.reply_to ?? deps.replyTo,
    subject: oneLine(renderTemplate(template.subject, data, deps.reading)),
    text: toText(html),
    html: isRemote ? undefined : html,
    templateId: isRemote ? templateId : undefined,
    templateData: data,
    attachments: carried.attachments,
    unsubscribeUrl,
  }
}

/** A text as a header is: one line. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()

// Compiled once, because that is most of the work.
export const toText = compile({ wordwrap: 78 })

// An id without a file may belong to a provider; docket check and the start warn of it.
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
  message_has_comment: content?.has_comment === true,
  // Absent instead of empty, because an empty text is true in Liquid.
  url: absoluteUrl(content?.url ?? '', publicUrl),
  attachments: attachments.map(({ filename, mimetype }) => ({ filename, mimetype })),
  links,
  missing,
  unsubscribe_url: unsubscribeUrl ?? null,
})

// A relative path does not work in an e-mail, and other schemes than http and https are not links.
export const absoluteUrl = (url: string, publicUrl: string): string | null => {
  if (/^\/(?!\/)/.test(url)) return publicUrl + url
  return /^https?:\/\//i.test(url) ? url : null
}
