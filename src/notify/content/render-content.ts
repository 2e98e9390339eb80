/** Renders the content of stored notifications from the templates and data of a rule. */
import type { Catalog } from '../../definitions/catalog.ts'
import { parseDate, parseTimestamp } from '../../definitions/values/timestamps.ts'
import type { StoredContent } from '../../inbox/notification.ts'
import { shorten } from '../../issues.ts'
import { type LiquidTemplate, renderTemplate } from '../../templates/liquid-template.ts'
import type { Reading } from '../../templates/local-filters.ts'
import { contentParts, type RuleContent } from './rule-content.ts'
import { saysComment } from './said-comment.ts'

/** The variables of templates, each with the fields that are read. */
export type TemplateData = {
  readonly record: object
  /** What choices and steps of the record are called, at the same places. */
  readonly names: object
  readonly actor: object
  readonly recipient: object
  readonly entity: { readonly key: string; readonly name: string }
  /** Empty if the event was no workflow action. */
  readonly action: { readonly to?: unknown }
  readonly comment: string | null
}

/** Whether the content differs between recipients. */
export const isPersonal = (content: RuleContent): boolean =>
  Object.values(content).some(({ names }: LiquidTemplate) =>
    names.some(({ segments }) => segments[0] === 'recipient'),
  )

/**
 * The maximum length of each part, because every recipient has a copy. A longer text is cut and ends with
 * `…`; a longer URL is omitted.
 */
const contentLimits = { icon: 100, title: 500, message: 10_000, url: 2000 } as const

type Deps = { readonly catalog: Pick<Catalog, 'locale'>; readonly timeZone: string }

/** A content, and what its `due_date` rendered to if that is no date: then nothing is due. */
export type RenderedContent = {
  readonly content: StoredContent
  readonly unreadDueDate: string | undefined
}

/** Renders every part. A `due_date` that does not render to a date is omitted, and told. */
export const renderContent = (
  content: RuleContent,
  data: TemplateData,
  { catalog: { locale }, timeZone }: Deps,
): RenderedContent => {
  const reading = { locale, timeZone }
  const [icon, title, message = '', due, url] = contentParts.map((part) =>
    renderTemplate(content[part], data, reading),
  )
  const dueAt = due ? (readDueDate(due, timeZone) ?? null) : null
  const { to } = data.action
  const stored: StoredContent = {
    icon: shorten(icon ?? '', contentLimits.icon),
    title: shorten(oneLine(title ?? ''), contentLimits.title),
    message: shorten(message, contentLimits.message),
    // A part of a URL leads elsewhere.
    url: url && url.length <= contentLimits.url ? url : null,
    due_at: dueAt,
    ...(hasComment(content, data, { message, reading }) && { has_comment: true }),
    ...(dueAt !== null && typeof to === 'string' && { step: to }),
  }
  return { content: stored, unreadDueDate: due && dueAt === null ? due : undefined }
}

/** Fields of several lines may stand in a title. */
const oneLine = (text: string): string =>
  text.trim().replaceAll(/\s*[\n\v\f\r\u0085\u2028\u2029]\s*/g, ' ')

type Rendered = { readonly message: string; readonly reading: Reading }

const hasComment = (
  { message: template }: RuleContent,
  data: TemplateData,
  { message, reading }: Rendered,
): boolean =>
  data.comment !== null &&
  // What is cut off is not said.
  message.length <= contentLimits.message &&
  template.names.some(({ segments }) => segments[0] === 'comment') &&
  saysComment(message, data.comment, (comment) =>
    renderTemplate(template, { ...data, comment }, reading),
  )

/** The moment of a due date; a day means its midnight in the zone. Undefined for what is no date. */
export const readDueDate = (text: string, timeZone: string): string | undefined =>
  parseDate(text) === undefined
    ? parseTimestamp(text, timeZone)
    : parseTimestamp(`${text} 00:00:00`, timeZone)
