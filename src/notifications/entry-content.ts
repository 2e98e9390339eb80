/** The content of a notification entry: its own templates, and the usual ones of its operation. */
import type { Entity } from '../definitions/catalog.ts'
import type { NotificationEntry } from '../definitions/notification-matching.ts'
import { type LiquidTemplate, parseTemplate } from '../templates/liquid-template.ts'

export const contentParts = ['icon', 'title', 'message', 'due_date', 'url'] as const
export type ContentPart = (typeof contentParts)[number]

/** The templates of an entry, all parts given. */
export type EntryContent = Readonly<Record<ContentPart, LiquidTemplate>>

/** The text of each part, as written or as usual. */
export const contentTexts = (
  entity: Entity,
  { operation, content = {} }: NotificationEntry,
): Readonly<Record<ContentPart, string>> => {
  const record = nameOfRecord(entity)
  const usual = usualTexts[operation]
  return {
    icon: usual.icon,
    title: usual.title(record),
    message: usual.message(record),
    due_date: '',
    url: '',
    ...content,
  }
}

/** Reads every part; the definition was checked, so none can be wrong. */
export const readContent = (entity: Entity, entry: NotificationEntry): EntryContent => {
  const texts = contentTexts(entity, entry)
  return Object.fromEntries(
    contentParts.map((part) => [part, parseTemplate(texts[part])]),
  ) as unknown as EntryContent
}

/** What a person calls the record: its display field, else its number. */
const nameOfRecord = ({ definition: { displayField } }: Entity): string =>
  displayField === undefined
    ? '{{ entity.name }} {{ record.id }}'
    : `{{ entity.name }} {{ record.${displayField} | default: record.id }}`

const usualTexts = {
  create: {
    icon: 'plus',
    title: (record: string) => `New: ${record}`,
    message: (record: string) => `{{ actor.full_name }} created ${record}.`,
  },
  takeOwnership: {
    icon: 'user',
    title: (record: string) => `${record} has a new owner`,
    message: (record: string) => `{{ actor.full_name }} took over ${record}.`,
  },
  proceedToStep: {
    icon: 'arrow-right',
    title: (record: string) => `${record}: {{ action.name }}`,
    message: (record: string) =>
      `{{ actor.full_name }} moved ${record} from {{ action.from_name }} to {{ action.to_name }}.{% if comment %} {{ comment }}{% endif %}`,
  },
} as const
