/** What people call the groups and files that the notifications of an entity name by their codes. */
import { useQuery } from '@tanstack/react-query'
import type { NotificationRule } from '../../../src/definitions/notification-matching.ts'
import { documentsOfQuery, groupsQuery } from '../../api/admin/definitions.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { useAdminTexts } from '../../texts/texts.ts'
import { nameOfKey } from '../format/format-value.ts'

/** A name by its code; the code itself, where there is no name or it is still on its way. */
export type RuleNames = {
  readonly group: (code: string) => string
  readonly document: (code: string) => string
  /** A function has no name but its file's. */
  readonly documentFunction: (key: string) => string
}

const nameIn =
  (rows: readonly RecordRow[] = []) =>
  (code: string): string =>
    String(rows.find((row) => row.code === code)?.name || code)

const groupsOf = (rules: readonly NotificationRule[]): readonly string[] =>
  [...new Set(rules.flatMap(({ recipient }) => recipient.userGroups ?? []))].toSorted()

const hasDocuments = ({ attachments }: NotificationRule): boolean =>
  (attachments?.printableDocuments ?? []).length > 0

export const useRuleNames = ({ key, notifications: rules = [] }: Entity): RuleNames => {
  const { rules: texts } = useAdminTexts()
  const codes = groupsOf(rules)
  const groups = useQuery({ ...groupsQuery(codes), enabled: codes.length > 0 })
  const documents = useQuery({ ...documentsOfQuery(key), enabled: rules.some(hasDocuments) })
  return {
    group: nameIn(groups.data),
    document: nameIn(documents.data),
    documentFunction: (name) => texts.functions[name] ?? nameOfKey(name.replaceAll('-', '_')),
  }
}
