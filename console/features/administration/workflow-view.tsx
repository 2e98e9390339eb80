/** A workflow with the records that stand in each step now: as a picture, and as a list that says the same. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { stepCountsQuery } from '../../api/admin/definitions.ts'
import type { Entity, WorkflowStep } from '../../api/types.ts'
import { DataTable, type TableColumn } from '../../parts/data-table.tsx'
import { type AdminTexts, useAdminTexts } from '../../texts/texts.ts'
import { ActionWords } from './action-words.tsx'
import { Moment } from './moment.tsx'
import { WorkflowPicture } from './workflow-picture.tsx'

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
        </ul>
      ),
    },
  ]
}
