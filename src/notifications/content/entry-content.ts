/** The content of a notification entry: its own templates, and the usual ones of its operation. */
import type { Entity } from '../../definitions/catalog.ts'
import type { NotificationRule } from '../../definitions/notification-matching.ts'
import { type LiquidTemplate, parseTemplate } from '../../templates/liquid-template.ts'
import { sentencesOf } from '../../templates/own-sentences.ts'

export const contentParts = ['icon', 'title', 'message', 'due_date', 'url'] as const
export type ContentPart = (typeof contentParts)[number]

/** The templates of an entry, all parts given. */
export type EntryContent = Readonly<Record<ContentPart, LiquidTemplate>>

/** The text of each part, as written or as usual in the language of the project. */
export const contentTexts = (
  entity: Entity,
  { operation, content = {} }: NotificationRule,
  locale?: string,
): Readonly<Record<ContentPart, string>> => {
  const record = nameOfRecord(entity)
  const usual = sentencesOf(locale)[operation]
  return {
    icon: icons[operation],
    title: usual.title(record),
    message: usual.message(record),
    due_date: '',
    url: '',
    ...content,
  }
}

/** Reads every part; the definition was checked, so none can be wrong. */
export const readContent = (
  entity: Entity,
  entry: NotificationRule,
  locale?: string,
): EntryContent => {
  const texts = contentTexts(entity, entry, locale)
  return Object.fromEntries(
    contentParts.map((part) => [part, parseTemplate(texts[part])]),
  ) as unknown as EntryContent
}

/** What a person calls the record: its display field, else its number. */
const nameOfRecord = ({ definition: { displayField } }: Entity): string =>
  displayField === undefined
    ? '{{ entity.name }} {{ record.id }}'
    : `{{ entity.name }} {{ record.${displayField} | default: record.id }}`

const icons = { create: 'plus', takeOwnership: 'user', proceedToStep: 'arrow-right' } as const
