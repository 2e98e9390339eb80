/** A look at a record: what it is called, and the first of what its lists show. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { previewQuery } from '../../api/record.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { columnsAt, pathsOf, textAt } from '../list/columns.ts'
import { defaultPaths } from '../list/main-columns.ts'
import { useReading, useSession } from '../session/session.ts'
import './record-preview.css'

type PreviewProps = {
  readonly entity: string
  readonly id: number
  readonly elementId: string
  /** Of the link beside which it stands. */
  readonly anchor: string
}

export const RecordPreview = (props: PreviewProps): ReactNode => {
  const target = useSession().entities.get(props.entity)
  return target ? <Preview {...props} target={target} /> : null
}

const shownFields = 3

const Preview = (props: PreviewProps & { readonly target: Entity }): ReactNode => {
  const { target, id, elementId, anchor } = props
  const recordPage = useRecordPageTexts()
  const { entities } = useSession()
  const element = useRef<HTMLSpanElement>(null)
  const columns = columnsAt(defaultPaths(target, entities), target, entities)
    .filter(({ path }) => path !== target.displayField)
    .slice(0, shownFields)
  const found = useQuery(previewQuery(target, id, columns.flatMap(pathsOf)))
  useEffect(() => element.current?.showPopover(), [])
  return (
    <span
      ref={element}
      id={elementId}
      role="tooltip"
      popover="manual"
      className="record-preview"
      style={{ positionAnchor: anchor }}
    >
      <span className="record-preview-entity" dir="auto">
        {target.name}
      </span>
      {found.data && <Content {...{ target, columns }} row={found.data} />}
      {(found.error || found.data === null) && <span>{recordPage.unreadable}</span>}
    </span>
  )
}

type ContentProps = {
  readonly target: Entity
  readonly columns: ReturnType<typeof columnsAt>
  readonly row: RecordRow
}

const Content = ({ target, columns, row }: ContentProps): ReactNode => {
  const reading = useReading()
  const stepName = (step: unknown) => target.workflow?.steps.find(({ key }) => key === step)?.name
  return (
    <>
      <strong dir="auto">{String(row[target.displayField] ?? row.id)}</strong>
      {columns.map((column) => {
        const { path, label } = column
        const text = (path === '_step' && stepName(row[path])) || textAt(row, column, reading)
        return (
          <span key={path} className="record-preview-row">
            <span dir="auto">{label}</span>
            <span dir="auto">{text || '–'}</span>
          </span>
        )
      })}
    </>
  )
}
