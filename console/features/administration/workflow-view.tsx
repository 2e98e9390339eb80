/** The workflow of an entity: a picture of its steps, and a table of them with their actions. */
import { Graph, layout } from '@dagrejs/dagre'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import type { Entity, WorkflowAction, WorkflowStep } from '../../api/types.ts'
import { useConditionWords } from '../filter/condition-words.ts'
import './administration.css'
import { useQuery } from '@tanstack/react-query'
import { stepCountsQuery } from '../../api/admin/definitions.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { type AdminTexts, useAdminTexts } from '../../texts/texts.ts'
import { Moment } from './work-table.tsx'

type StepLink = { readonly from: string; readonly to: string; readonly label: string }

/** Keys of the steps that an action may lead to; without a named one those that lead here. */
const targetsOf = (
  { to }: WorkflowAction,
  from: string,
  steps: readonly WorkflowStep[],
): readonly string[] => {
  if (to !== undefined) return [to]
  return steps
    .filter(({ key, actions = [] }) => key !== from && actions.some((one) => one.to === from))
    .map(({ key }) => key)
}

/** One link for all actions between two steps. */
const linksOf = (steps: readonly WorkflowStep[]): readonly StepLink[] => {
  const ways = steps.flatMap((from) =>
    (from.actions ?? []).flatMap((action) =>
      targetsOf(action, from.key, steps).map((to) => ({
        from: from.key,
        to,
        label: labelOf(action),
      })),
    ),
  )
  const byPlaces = Map.groupBy(ways, ({ from, to }) => `${from} ${to}`)
  return [...byPlaces.values()].flatMap((all) =>
    all[0] ? [{ ...all[0], label: [...new Set(all.map(({ label }) => label))].join(', ') }] : [],
  )
}

type PlacedStep = {
  readonly step: WorkflowStep
  /** Of its centre. */
  readonly x: number
  readonly y: number
}

type PlacedAction = {
  readonly key: string
  readonly label: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
  readonly x: number
  readonly y: number
}

type Layout = {
  readonly width: number
  readonly height: number
  readonly steps: readonly PlacedStep[]
  readonly actions: readonly PlacedAction[]
}

const stepSize = { width: 148, height: 54 } as const

// Of a letter, in pixels; labels of actions need room between the steps.
const letterWidth = 6.6
const labelHeight = 18

const layOut = (steps: readonly WorkflowStep[], links: readonly StepLink[]): Layout => {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'LR', nodesep: 30, ranksep: 24, marginx: 8, marginy: 8 })
  for (const { key } of steps) graph.setNode(key, { ...stepSize })
  for (const [at, { from, to, label }] of links.entries())
    graph.setEdge(
      from,
      to,
      { width: label.length * letterWidth, height: labelHeight, labelpos: 'c' },
      `${at}`,
    )
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  return {
    width,
    height,
    steps: steps.map((step) => {
      const { x = 0, y = 0 } = graph.node(step.key)
      return { step, x, y }
    }),
    actions: links.map(({ from, to, label }, at) => {
      const { points = [], x = 0, y = 0 } = graph.edge(from, to, `${at}`)
      return { key: `${from} ${to} ${at}`, label, points, x, y }
    }),
  }
}

type PictureProps = {
  readonly entity: Entity
  readonly steps: readonly WorkflowStep[]
  readonly initialStep: string | undefined
  readonly noteOf: (step: string) => string
}

const WorkflowPicture = ({ entity, steps, initialStep, noteOf }: PictureProps): ReactNode => {
  const picture = useMemo(() => layOut(steps, linksOf(steps)), [steps])
  const { width, height } = picture
  return (
    <div className="workflow-picture" aria-hidden="true">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        <title>{entity.name}</title>
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8z" className="workflow-arrow" />
          </marker>
        </defs>
        {picture.actions.map((action) => (
          <Line key={action.key} action={action} />
        ))}
        {picture.steps.map((placed) => (
          <Step
            key={placed.step.key}
            entity={entity}
            placed={placed}
            note={noteOf(placed.step.key)}
            isInitial={placed.step.key === initialStep}
          />
        ))}
        {picture.actions.map(({ key, label, x, y }) => (
          <text key={key} x={x} y={y + 4} className="workflow-label">
            {label}
          </text>
        ))}
      </svg>
    </div>
  )
}

const Line = ({ action: { points } }: { readonly action: PlacedAction }): ReactNode => {
  const path = points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join(' ')
  return <path d={path} className="workflow-line" markerEnd="url(#arrow)" />
}

type StepProps = {
  readonly entity: Entity
  readonly placed: PlacedStep
  readonly note: string
  readonly isInitial: boolean
}

/** Leads to the records of the step. */
const Step = ({ entity, placed, note, isInitial }: StepProps): ReactNode => {
  const { step, x, y } = placed
  const { width, height } = stepSize
  return (
    <Link
      to="/$entity"
      params={{ entity: entity.key }}
      search={{ w: { _step: step.key } }}
      tabIndex={-1}
      className="workflow-step"
      data-initial={isInitial || undefined}
      data-final={step.final || undefined}
    >
      <rect x={x - width / 2} y={y - height / 2} width={width} height={height} rx={9} />
      <text x={x} y={y - 3} className="workflow-name">
        {step.name ?? step.key}
      </text>
      <text x={x} y={y + 15} className="workflow-note">
        {note}
      </text>
    </Link>
  )
}

type WordsProps = {
  readonly entity: Entity
  readonly action: WorkflowAction
  /** Key of its step. */
  readonly from: string
}

const ActionWords = ({ entity, action, from }: WordsProps): ReactNode => {
  const { definitions: texts } = useAdminTexts()
  const steps = entity.workflow?.steps ?? []
  const stepName = (key: string) => steps.find((step) => step.key === key)?.name ?? key
  /** Of a link or an action. */
  const nameOf = (key: string) => {
    const field = entity.fields.find((one) => one.key === key)
    const other = steps.flatMap(({ actions = [] }) => actions).find((one) => one.key === key)
    return field ? labelOf(field) : other ? labelOf(other) : key
  }
  const targets = targetsOf(action, from, steps).map(stepName).join(' / ')
  const form = action.form === undefined ? '' : texts.withForm(action.form)
  const condition = useConditionWords(entity, action.condition, texts.ofCaller)
  return (
    <li dir="auto">
      {`${labelOf(action)} → ${targets} ${form}`.trim()}
      {action.set && (
        <small className="admin-note">
          {' '}
          {texts.sets(Object.keys(action.set).map(nameOf).join(', '))}
        </small>
      )}
      {action.notBy && (
        <small className="admin-note"> {texts.notBy(action.notBy.map(nameOf).join(', '))}</small>
      )}
      {condition !== undefined && <small className="admin-note"> {texts.onlyIf(condition)}</small>}
    </li>
  )
}

// The layout of the picture is a library of its own.
type Row = {
  readonly step: WorkflowStep
  readonly count: number | undefined
  readonly oldest: string | null
}

export const WorkflowView = ({ entity }: { readonly entity: Entity }): ReactNode => {
  const texts = useAdminTexts()
  const counts = useQuery({
    ...stepCountsQuery(entity.key),
    enabled: entity.permissions.read !== false,
  })
  const { workflow } = entity
  if (!workflow) return <p className="admin-note">{texts.definitions.noWorkflow}</p>
  const { steps, initialStep } = workflow
  const rows = steps.map((step): Row => {
    const found = counts.data?.find((one) => one.step === step.key)
    return { step, count: counts.data && (found?.count ?? 0), oldest: found?.oldest ?? null }
  })
  const noteOf = (key: string): string => {
    const count = rows.find(({ step }) => step.key === key)?.count
    return count === undefined ? '' : texts.definitions.records(count)
  }
  return (
    <div className="admin-stack">
      <WorkflowPicture entity={entity} steps={steps} initialStep={initialStep} noteOf={noteOf} />
      <DataTable
        label={texts.definitions.workflow}
        columns={columnsOf(texts, entity)}
        rows={rows}
        keyOf={({ step }) => step.key}
      />
    </div>
  )
}

/** What a step locks, and for which roles it does not. */
const locksText = (
  texts: AdminTexts['definitions'],
  { fields, roles = [] }: Entity,
  { fields: keys, except = [] }: NonNullable<WorkflowStep['locks']>,
): string => {
  const labelOfKey = (key: string) => {
    const field = fields.find((one) => one.key === key)
    return field ? labelOf(field) : key
  }
  const list = keys === 'all' ? texts.everything : keys.map(labelOfKey).join(', ')
  const names = except.map((key) => roles.find((role) => role.key === key)?.name ?? key)
  return names.length === 0 ? texts.locked(list) : texts.lockedExcept(list, names.join(', '))
}

const columnsOf = (texts: AdminTexts, entity: Entity): readonly TableColumn<Row>[] => {
  const { definitions } = texts
  return [
    {
      key: 'step',
      label: definitions.step,
      render: ({ step }) => (
        <span className="admin-two">
          <span dir="auto">{step.name ?? step.key}</span>
          <small>
            <code>{step.key}</code>
          </small>
        </span>
      ),
    },
    {
      key: 'count',
      label: definitions.now,
      isNumeric: true,
      render: ({ step, count }) => (
        <Link to="/$entity" params={{ entity: entity.key }} search={{ w: { _step: step.key } }}>
          {count === undefined ? definitions.show : definitions.records(count)}
        </Link>
      ),
    },
    {
      key: 'oldest',
      label: definitions.oldest,
      // Records in a last step wait for nothing.
      render: ({ oldest, step }) => (oldest === null || step.final ? null : <Moment at={oldest} />),
    },
    {
      key: 'actions',
      label: definitions.actions,
      isWide: true,
      render: ({ step }) => (
        <ul className="admin-list">
          {(step.actions ?? []).map((action) => (
            <ActionWords key={action.key} entity={entity} action={action} from={step.key} />
          ))}
          {step.locks && (
            <li dir="auto" className="admin-note">
              {locksText(definitions, entity, step.locks)}
            </li>
          )}
        </ul>
      ),
    },
  ]
}
