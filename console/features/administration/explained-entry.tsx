/** One entry of the notifications: whether it applies, who is told and who is not, and what they read. */
import type { ReactNode } from 'react'
import type { ExplainedEntry, ExplainedRecipient } from '../../api/admin/explain.ts'
import type { Entity } from '../../api/types.ts'
import { useAdminTexts, useWorkTexts } from '../../texts/texts.ts'
import { useWording } from '../filter/use-wording.ts'
import { useSession } from '../session/session.ts'
import {
  conditionOf,
  furtherOf,
  type NotificationRule,
  namedBy,
  notNamedBy,
  pathWords,
  whenOf,
} from './rule-words.ts'
import { StatusBadge } from './status-badge.tsx'
import { type RuleNames, useRuleNames } from './use-rule-names.ts'
import './explain.css'

type EntryProps = {
  readonly entry: ExplainedEntry
  readonly rule: NotificationRule
  readonly entity: Entity
  /** Whether one person is asked for, who may be none of the recipients. */
  readonly isAsked: boolean
  /** The entry for everybody, if one person is asked for. */
  readonly others?: ExplainedEntry | undefined
}

export const ExplainedRule = ({ entry, rule, entity, isAsked, others }: EntryProps): ReactNode => {
  const texts = useAdminTexts()
  const { explain } = texts
  const { entities } = useSession()
  const names = useRuleNames(entity)
  const { matches, reason = '', recipients = [], count = 0, missingGroups = [] } = entry
  const shown = recipients.length
  return (
    <section className="explained" data-applies={matches || undefined}>
      <header className="admin-row">
        <h2>{whenOf(rule, entity, texts)}</h2>
        <StatusBadge
          status={matches ? 'sent' : 'skipped'}
          label={matches ? explain.applies : (explain.notApplying[reason] ?? reason)}
        />
      </header>
      <RuleNotes rule={rule} entity={entity} />
      {missingGroups.map((code) => (
        <p key={code} className="admin-alert">
          {explain.missingGroup(code)}
        </p>
      ))}
      {matches && shown === 0 && (
        <p className="admin-note" dir="auto">
          {isAsked
            ? notNamedBy(rule, texts, { entity, entities, names }).join(' ')
            : explain.nobody}
        </p>
      )}
      {matches && others && <ToldInstead entry={others} entity={entity} names={names} />}
      {shown > 0 && (
        <ul className="explained-people">
          {recipients.map((one) => (
            <Recipient key={one.user.id} recipient={one} entity={entity} names={names} />
          ))}
        </ul>
      )}
      {!isAsked && count > shown && (
        <p className="admin-note">{explain.furtherPeople(count - shown)}</p>
      )}
    </section>
  )
}

type Named = { readonly entity: Entity; readonly names: RuleNames }

type InsteadProps = Named & { readonly entry: ExplainedEntry }

/** Whom an entry tells, each with what names them. */
const ToldInstead = ({ entry, ...named }: InsteadProps): ReactNode => {
  const { explain } = useAdminTexts()
  const causesOf = useCauses(named)
  const told = (entry.recipients ?? []).filter((one) => one.told)
  const people = told.map((one) => `${one.user.full_name ?? one.user.id} (${causesOf(one)})`)
  return (
    <p className="admin-note" dir="auto">
      {people.length === 0 ? explain.tellsNobody : explain.tells(people.join(', '))}
    </p>
  )
}

/** What names a person: fields of the record, and groups. */
const useCauses = ({ entity, names }: Named) => {
  const { rules } = useAdminTexts()
  const { entities } = useSession()
  return ({ fields, groups }: ExplainedRecipient): string =>
    [
      ...fields.map((path) => pathWords(path, entity, entities)),
      ...groups.map((code) => rules.group(names.group(code))),
    ].join(', ')
}

type NotesProps = Pick<EntryProps, 'rule' | 'entity'>

/** Its condition, whom it names, and how it is sent. */
export const RuleNotes = ({ rule, entity }: NotesProps): ReactNode => {
  const texts = useAdminTexts()
  const { entities } = useSession()
  const condition = conditionOf(rule, useWording(entity, rule.condition))
  const place = { entity, entities, names: useRuleNames(entity) }
  const further = furtherOf(rule, texts, place)
  return (
    <ul className="explained-notes" dir="auto">
      {condition !== undefined && <li>{texts.rules.condition(condition)}</li>}
      <li>{texts.rules.names(namedBy(rule, texts, place).join(', '))}</li>
      {further.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  )
}

type RecipientProps = Named & { readonly recipient: ExplainedRecipient }

const Recipient = ({ recipient, ...named }: RecipientProps): ReactNode => {
  const inbox = useWorkTexts().inbox
  const { explain } = useAdminTexts()
  const causesOf = useCauses(named)
  const { user, told, reason, email, content, fault, unread_due_date: noDate } = recipient
  return (
    <li data-told={told || undefined}>
      <div className="admin-row">
        <strong dir="auto">{user.full_name ?? user.id}</strong>
        <StatusBadge
          status={told ? 'sent' : 'dead'}
          label={
            told ? explain.told : explain.notTold(explain.reasons[reason ?? ''] ?? reason ?? '')
          }
        />
        <small className="admin-note" dir="auto">
          {causesOf(recipient)}
        </small>
      </div>
      {email && (
        <p className="admin-note">
          {email.told
            ? explain.alsoByEmail
            : explain.noEmail(explain.noEmailReasons[email.reason ?? ''] ?? email.reason ?? '')}
        </p>
      )}
      {fault !== undefined && <p className="admin-alert">{explain.fault(fault)}</p>}
      {noDate !== undefined && <p className="admin-alert">{explain.noDate(noDate)}</p>}
      {content && (
        <blockquote className="explained-content">
          <strong dir="auto">{content.title}</strong>
          <p dir="auto">{content.message}</p>
          {content.due_date && <small className="admin-note">{inbox.due(content.due_date)}</small>}
        </blockquote>
      )}
    </li>
  )
}
