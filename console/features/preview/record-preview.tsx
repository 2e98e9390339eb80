/** A look at a record: what it is called, and the first of what its lists show. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { previewQuery } from '../../api/record.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading, useSession } from '../session/session.ts'
import { columnsAt, pathsOf, textAt } from '../values/columns.ts'
import { defaultPaths } from '../values/main-columns.ts'
import '../../styles/popover.css'
import './record-preview.css'

type PreviewProps = {
  readonly entity: string
  readonly id: number
  /** Beside which it stands. */
  readonly link: HTMLElement
}

export const RecordPreview = (props: PreviewProps): ReactNode => {
  const target = useSession().entities.get(props.entity)
  return target ? <Preview {...props} target={target} /> : null
}

const shownFields = 3

const Preview = (props: PreviewProps & { readonly target: Entity }): ReactNode => {
  const { target, id, link } = props
  const elementId = useId()
  const anchor = `--${elementId.replaceAll(/\W/g, '')}`
  const recordPage = useWorkTexts().record
  const { entities } = useSession()
  const element = useRef<HTMLSpanElement>(null)
  const columns = columnsAt(defaultPaths(target, entities), target, entities)
    .filter(({ path }) => path !== target.displayField)
    .slice(0, shownFields)
  const found = useQuery(previewQuery(target, id, columns.flatMap(pathsOf)))
  useEffect(() => {
    link.style.setProperty('anchor-name', anchor)
    link.setAttribute('aria-describedby', elementId)
    element.current?.showPopover()
    return () => {
      link.style.removeProperty('anchor-name')
      link.removeAttribute('aria-describedby')
    }
  }, [link, anchor, elementId])
  return (
    <span
      ref={element}
      id={elementId}
      role="tooltip"
      popover="manual"
      className="popover record-preview"
      style={{ positionAnchor: anchor }}
    >
      <span className="record-preview-entity" dir="auto">
        {target.name}
      </span>
      {found.data && <Content target={target} columns={columns} row={found.data} />}
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
