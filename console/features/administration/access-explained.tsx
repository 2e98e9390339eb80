/** What a user may do with a record: each permission of their roles, and the criteria with the values that they compare. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import {
  type AccessExplanation,
  type AccessQuestion,
  accessQuery,
} from '../../api/admin/explain.ts'
import type { Condition, Entity } from '../../api/types.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useAdminTexts, useTexts } from '../../texts/texts.ts'
import { pathWords, useConditionWords } from '../filter/condition-words.ts'
import { printValue, useWording } from '../filter/describe-filter.ts'
import { useSession } from '../session/session.ts'
import { fieldNames } from './role-rights.tsx'
import { StatusBadge } from './work-table.tsx'
import './administration.css'

type Role = AccessExplanation['roles'][number]
type Criterion = Role['rights'][number]['criteria'][number]
type Compared = Criterion['ofRecord']

type ViewProps = { readonly entity: Entity; readonly question: AccessQuestion }

export const AccessView = ({ entity, question }: ViewProps): ReactNode => {
  const { access: texts } = useAdminTexts()
  const { data, error } = useQuery(accessQuery(question))
  if (error) return <ProblemNote error={error} />
  if (!data) return <Waiting />
  const { user, refused, may, roles } = data
  const name = user.full_name ?? `${user.id}`
  return (
    <>
      <p className="explain-answer" role="status">
        <strong dir="auto">{may.read ? texts.may(name) : texts.mayNot(name)}</strong>{' '}
        {refused !== null && (texts.refused[refused] ?? refused)}
      </p>
      {roles.map((role) => (
        <ExplainedRole key={role.key} role={role} entity={entity} />
      ))}
    </>
  )
}

/** A permission or an action. */
type Row = Pick<Role['rights'][number], 'granted' | 'may' | 'reason' | 'criteria'> & {
  readonly key: string
  readonly label: string
}

type RoleProps = { readonly role: Role; readonly entity: Entity }

const ExplainedRole = ({ role, entity }: RoleProps): ReactNode => {
  const { access: texts, definitions } = useAdminTexts()
  const { common } = useTexts()
  const rows: readonly Row[] = [
    ...role.rights.map((one) => ({
      ...one,
      key: one.right,
      label: definitions.rights[one.right],
    })),
    ...role.actions.map((one) => ({ ...one, key: `action ${one.key}`, label: one.name })),
  ]
  const granted = ({ granted: scope }: Row) =>
    scope === 'own' ? definitions.own : scope ? common.yes : common.no
  const columns: readonly TableColumn<Row>[] = [
    {
      key: 'name',
      label: texts.permission,
      render: ({ label }) => <span dir="auto">{label}</span>,
    },
    { key: 'granted', label: texts.granted, render: granted },
    { key: 'here', label: texts.here, render: ({ may }) => <Verdict isPositive={may} /> },
    {
      key: 'why',
      label: texts.whyNot,
      isWide: true,
      render: ({ reason }) => (reason === null ? '' : texts.reasons[reason]),
    },
  ]
  const title = texts.role(role.name)
  return (
    <section className="admin-stack">
      <h2 dir="auto">{title}</h2>
      <DataTable label={title} columns={columns} rows={rows} keyOf={({ key }) => key} />
      {(['hiddenFields', 'readOnlyFields'] as const).map(
        (list) =>
          role[list].length > 0 && (
            <p key={list} className="admin-note" dir="auto">
              {definitions[list]}: {fieldNames(role[list], entity).join(', ')}
            </p>
          ),
      )}
      {rows
        .filter(({ criteria }) => criteria.length > 0)
        .map(({ key, label, criteria }) => (
          <CriteriaTable key={key} label={label} criteria={criteria} entity={entity} />
        ))}
    </section>
  )
}

const Verdict = ({ isPositive }: { readonly isPositive: boolean }): ReactNode => {
  const { yes, no } = useTexts().common
  return <StatusBadge status={isPositive ? 'sent' : 'dead'} label={isPositive ? yes : no} />
}

type CriteriaProps = {
  readonly label: string
  readonly criteria: readonly Criterion[]
  readonly entity: Entity
}

const CriteriaTable = ({ label, criteria, entity }: CriteriaProps): ReactNode => {
  const { access: texts, explain } = useAdminTexts()
  const { entities } = useSession()
  const users = entities.get('user') ?? entity
  const title = texts.criteriaOf(label)
  const rows = criteria.map((criterion, at) => ({ ...criterion, at }))
  const columns: readonly TableColumn<(typeof rows)[number]>[] = [
    {
      key: 'criterion',
      label: texts.criterion,
      isWide: true,
      render: (criterion) => <CriterionWords criterion={criterion} entity={entity} />,
    },
    {
      key: 'record',
      label: explain.record,
      isWide: true,
      render: ({ ofRecord }) => <ComparedValues values={ofRecord} entity={entity} />,
    },
    {
      key: 'user',
      label: texts.user,
      isWide: true,
      render: ({ ofUser }) => <ComparedValues values={ofUser} entity={users} />,
    },
    { key: 'met', label: texts.isMet, render: ({ isMet }) => <Verdict isPositive={isMet} /> },
  ]
  return (
    <>
      <h3 dir="auto">{title}</h3>
      <DataTable label={title} columns={columns} rows={rows} keyOf={({ at }) => at} />
    </>
  )
}

type WordsProps = { readonly criterion: Criterion; readonly entity: Entity }

const CriterionWords = ({ criterion, entity }: WordsProps): ReactNode => {
  const { access: texts, definitions } = useAdminTexts()
  const { depth, kind, where } = criterion
  const words = useConditionWords(entity, where, definitions.ofCaller)
  return (
    <span className="criterion" dir="auto" style={{ paddingInlineStart: `${depth * 1.25}em` }}>
      {kind === 'criterion' ? words : texts.groups[kind]}
    </span>
  )
}

type ValuesProps = { readonly values: Compared; readonly entity: Entity }

/** The values at some paths, each with the words of its path; a linked record by its name. */
const ComparedValues = ({ values, entity }: ValuesProps): ReactNode => {
  const { entities } = useSession()
  const asked: Condition = {
    $and: values.map(({ path, value }) => ({ [path]: { $in: [value].flat() } })),
  }
  const wording = useWording(entity, asked)
  return values.map(({ path, value }) => {
    const field = wording.fieldAt(path)
    const printed = [value].flat().map((one) => printValue(one, field, wording))
    return (
      <span key={path} className="admin-two">
        <small dir="auto">{pathWords(path, entity, entities)}</small>
        <span dir="auto">{printed.join(', ') || printValue(null, field, wording)}</span>
      </span>
    )
  })
}
