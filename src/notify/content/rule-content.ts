/** The content of a notification rule: its own templates, and the default ones of its operation. */
import type { Entity } from '../../definitions/catalog.ts'
import type { NotificationRule } from '../../definitions/notification-matching.ts'
import { builtInTexts } from '../../templates/built-in-texts.ts'
import { type LiquidTemplate, parseTemplate } from '../../templates/liquid-template.ts'

export const contentParts = ['icon', 'title', 'message', 'due_date', 'url'] as const
export type ContentPart = (typeof contentParts)[number]

/** The templates of a rule, with defaults for missing parts. */
export type RuleContent = Readonly<Record<ContentPart, LiquidTemplate>>

/** The text of each part, as written or by default in the language of the project. */
export const contentTexts = (
  entity: Entity,
  { operation, recipient, content = {} }: NotificationRule,
  locale?: string,
): Readonly<Record<ContentPart, string>> => {
  const record = nameOfRecord(entity)
  const defaults = builtInTexts(locale)[operation]
  return {
    icon: icons[operation],
    title: defaults.title(record),
    message: defaults.message(record),
    due_date: '',
    // Who may not read the record has nothing to open.
    url: recipient.skipRightsCheck ? '' : pageOfRecord,
    ...content,
  }
}

/** Parses every part; the definition was checked, so none can be invalid. */
export const readContent = (
  entity: Entity,
  rule: NotificationRule,
  locale?: string,
): RuleContent => {
  const texts = contentTexts(entity, rule, locale)
  return {
    icon: parseTemplate(texts.icon),
    title: parseTemplate(texts.title),
    message: parseTemplate(texts.message),
    due_date: parseTemplate(texts.due_date),
    url: parseTemplate(texts.url),
  }
}

// Of the console, below the address of the service.
const pageOfRecord = '/console/{{ entity.key }}/{{ record.id }}'

/** The display name of the record: its display field, or else its id. */
const nameOfRecord = ({ definition: { displayField } }: Entity): string =>
  displayField === undefined
    ? '{{ entity.name }} {{ record.id }}'
    : `{{ entity.name }} {{ record.${displayField} | default: record.id }}`

const icons = { create: 'plus', takeOwnership: 'user', proceedToStep: 'arrow-right' } as const
