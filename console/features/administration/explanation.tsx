/** Who is notified of an event and who is not, with the reason, and what was sent about the record. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import {
  type ExplainedEntry,
  type ExplainedRecipient,
  type ExplainQuestion,
  type Explanation,
  explainQuery,
} from '../../api/admin/explain.ts'
import { nameQuery } from '../../api/record.ts'
import type { Entity } from '../../api/types.ts'
import { useAdminTexts, useWorkTexts } from '../../texts/texts.ts'
import { conditionOf, pathWords } from '../filter/condition-words.ts'
import { useWording } from '../filter/describe-filter.ts'
import { useSession } from '../session/session.ts'
import {
  furtherOf,
  type NotificationRule,
  namedBy,
  notNamedBy,
  type RuleNames,
  useRuleNames,
  whenOf,
} from './rule-words.ts'
import { Moment, StatusBadge } from './work-table.tsx'
import './administration.css'
import { Link } from '@tanstack/react-router'
import { deliveryQueue } from '../../api/admin/queue.ts'
import { ProblemNote, StaleNote, Waiting } from '../../parts/notes.tsx'

const nameField = 'full_name'

const useUserName = (id: number | undefined): string => {
  const { entities } = useSession()
  const users = entities.get('user')
  const asked = { key: 'user', displayField: users?.displayField ?? nameField }
  const { data } = useQuery({
    ...nameQuery(asked, id ?? 0),
    enabled: users !== undefined && id !== undefined,
  })
  return String(data?.[asked.displayField] ?? id ?? '')
}

type EntryProps = {
  readonly entry: ExplainedEntry
  readonly rule: NotificationRule
  readonly entity: Entity
  /** Whether the explanation is for one user, who may be no recipient. */
  readonly isAsked: boolean
  /** The entry for all users, if the explanation is for one. */
  readonly others?: ExplainedEntry | undefined
}

const ExplainedRule = ({ entry, rule, entity, isAsked, others }: EntryProps): ReactNode => {
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

/** The recipients of an entry, each with what names them. */
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

/** The condition, the named recipients, and the channels. */
export const RuleNotes = ({ rule, entity }: NotesProps): ReactNode => {
  const texts = useAdminTexts()
  const { entities } = useSession()
  const condition = conditionOf(rule, useWording(entity, rule.condition))
  const before = conditionOf({ condition: rule.before }, useWording(entity, rule.before))
  const place = { entity, entities, names: useRuleNames(entity) }
  const further = furtherOf(rule, texts, place)
  return (
    <ul className="explained-notes" dir="auto">
      {before !== undefined && <li>{texts.rules.before(before)}</li>}
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

type SentProps = {
  readonly entity: string
  readonly record: number
  readonly user: number | undefined
}

const mostShown = 8

const SentAbout = ({ entity, record, user }: SentProps): ReactNode => {
  const { explain: texts, deliveries } = useAdminTexts()
  const filter = { entity, record, ...(user !== undefined && { user }) }
  const list = useInfiniteQuery(deliveryQueue.list(filter))
  const rows = list.data?.pages.flat() ?? []
  const name = useUserName(user)
  const isAsked = user !== undefined
  const retry = () => void list.refetch()
  if (!list.data && !list.error) return null
  return (
    <section className="admin-stack">
      <h2 dir="auto">{isAsked ? texts.sentTo(name) : texts.sent}</h2>
      {list.data ? (
        <StaleNote error={list.error} onRetry={retry} />
      ) : (
        list.error && <ProblemNote error={list.error} onRetry={retry} />
      )}
      {list.data && rows.length === 0 && (
        <p className="admin-note" dir="auto">
          {isAsked ? texts.nothingSentTo(name) : texts.nothingSent}
        </p>
      )}
      <ul className="admin-list">
        {rows.slice(0, mostShown).map((one) => (
          <li key={one.id} className="admin-row">
            <StatusBadge status={one.status} label={deliveries.statuses[one.status]} />
            <Link to="/-/admin/deliveries/$id" params={{ id: `${one.id}` }} dir="auto">
              {one.subject || deliveries.noSubject}
            </Link>
            <span dir="auto">{one.user.full_name ?? one.address}</span>
            <small className="admin-note">
              <Moment at={one.sent_at ?? one.created_at} />
            </small>
          </li>
        ))}
      </ul>
      {rows.length > 0 && (
        <Link to="/-/admin/deliveries" search={filter}>
          {texts.allSent}
        </Link>
      )}
    </section>
  )
}

// The reason of an entry that is about another operation or action.
const aboutOther = 'another operation or action'

type ViewProps = { readonly entity: Entity; readonly question: ExplainQuestion }

export const ExplanationView = ({ entity, question }: ViewProps): ReactNode => {
  const { explain: texts } = useAdminTexts()
  const explained = useQuery(explainQuery(question))
  // The recipients of the entries, without the user whom the explanation is for.
  const { userId: _asked, ...ofAll } = question
  const all = useQuery({ ...explainQuery(ofAll), enabled: question.userId !== undefined })
  if (explained.error) return <ProblemNote error={explained.error} />
  if (!explained.data) return <Waiting />
  const { isActive, entries } = explained.data
  const { entityId: record, userId } = question
  const rules = entity.notifications ?? []
  const isOther = ({ reason }: ExplainedEntry) => reason === aboutOther
  const print = (entry: ExplainedEntry) => {
    const rule = rules[entry.index]
    const isAsked = userId !== undefined
    const others = isAsked
      ? all.data?.entries.find(({ index }) => index === entry.index)
      : undefined
    return (
      rule && (
        <ExplainedRule
          key={entry.index}
          entry={entry}
          rule={rule}
          entity={entity}
          isAsked={isAsked}
          others={others}
        />
      )
    )
  }
  return (
    <>
      {!isActive && <p className="admin-alert">{texts.inactive}</p>}
      {userId !== undefined && <Verdict explanation={explained.data} userId={userId} />}
      {userId === undefined && <Summary explanation={explained.data} />}
      {entries.filter(({ matches }) => matches).map(print)}
      {entries.filter((entry) => !entry.matches && !isOther(entry)).map(print)}
      {entries.some(isOther) && (
        <details className="explained-others">
          <summary>{texts.others}</summary>
          <div className="admin-stack">{entries.filter(isOther).map(print)}</div>
        </details>
      )}
      <SentAbout entity={entity.key} record={record} user={userId} />
    </>
  )
}

const Summary = ({ explanation }: { readonly explanation: Explanation }): ReactNode => {
  const { explain: texts } = useAdminTexts()
  const isAnybodyTold = explanation.entries.some(({ recipients = [] }) =>
    recipients.some(({ told }) => told),
  )
  if (isAnybodyTold) return null
  return (
    <p className="explain-answer" role="status">
      {texts.nobodyTold}
    </p>
  )
}

type VerdictProps = { readonly explanation: Explanation; readonly userId: number }

/** Whether the user of the explanation would be notified, in one sentence. */
const Verdict = ({ explanation, userId }: VerdictProps): ReactNode => {
  const { explain: texts } = useAdminTexts()
  const name = useUserName(userId)
  const found = explanation.entries.flatMap(({ recipients = [] }) => recipients)
  const isTold = explanation.isActive && found.some(({ told }) => told)
  const reasons = new Set(found.map(({ reason }) => texts.reasons[reason ?? ''] ?? reason))
  return (
    <p className="explain-answer" role="status">
      <strong dir="auto">{isTold ? texts.isTold(name) : texts.isNotTold(name)}</strong>{' '}
      {!isTold && (found.length > 0 ? [...reasons].join(', ') : texts.notNamedAtAll)}
    </p>
  )
}
