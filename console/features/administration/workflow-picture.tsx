/** The steps of a workflow as a picture, each with its records; what it shows stands in the list beside it too. */
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import type { Entity, WorkflowStep } from '../../api/types.ts'
import { layOut, type PlacedAction, type PlacedStep, stepSize } from './workflow-layout.ts'
import { linksOf } from './workflow-links.ts'
import './definitions.css'

type PictureProps = {
  readonly entity: Entity
  readonly steps: readonly WorkflowStep[]
  readonly initialStep: string | undefined
  readonly noteOf: (step: string) => string
}

export const WorkflowPicture = ({
  entity,
  steps,
  initialStep,
  noteOf,
}: PictureProps): ReactNode => {
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
