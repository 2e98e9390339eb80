/** The link to a record that the pointer or the focus is at: the record is read, and a preview is shown to users who rest there. */
import { useQuery } from '@tanstack/react-query'
import { CatchBoundary, useRouter } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useId, useRef, useState } from 'react'
import { previewQuery } from '../../api/record.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading, useSession } from '../session/session.ts'
import { columnsAt, pathsOf, textAt } from '../values/columns.ts'
import { defaultPaths } from '../values/main-columns.ts'
import {
  type FoundLink,
  prepareToOpen,
  recordLinkIn,
  recordLinkOf,
  targetOf,
} from './record-link.tsx'
import '../../styles/popover.css'
import './preview.css'

type Router = ReturnType<typeof useRouter>

export const NearLink = (): ReactNode => {
  const router = useRouter()
  const [rested, setRested] = useState<FoundLink>()
  useEffect(() => watch(router, setRested), [router])
  if (!rested) return null
  const { element, entity, id } = rested
  return (
    // A preview that cannot be loaded is not shown.
    <CatchBoundary getResetKey={() => `${entity}/${id}`} errorComponent={() => null}>
      <Suspense>
        <RecordPreview key={`${entity}/${id}`} entity={entity} link={element} id={Number(id)} />
      </Suspense>
    </CatchBoundary>
  )
}

// A pointer that only passes by opens no preview.
const restMs = 350

/** Follows the pointer and the focus from link to link, until the function that it returns is called. */
const watch = (router: Router, onRest: (link?: FoundLink) => void): (() => void) => {
  let near: FoundLink | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const begin = (link?: FoundLink) => {
    if (link?.element === near?.element && link?.id === near?.id) return
    near = link
    clearTimeout(timer)
    onRest()
    if (!link) return
    // A list that is scrolled moves many links under the pointer: those that it has left are not prepared.
    prepare(router, link, () => near === link)
    timer = setTimeout(() => link.element.isConnected && onRest(link), restMs)
  }
  const handlers: Readonly<Record<string, (event: Event) => void>> = {
    pointerover: (event) => isOfMouse(event) && !isInPreview(event) && begin(recordLinkOf(event)),
    pointerout: (event) => isOfMouse(event) && event.relatedTarget === null && begin(),
    focusin: (event) => begin(recordLinkOf(event)),
    focusout: () => begin(),
    keydown: (event) => event instanceof KeyboardEvent && event.key === 'Escape' && begin(),
    // A finger does not rest.
    touchstart: (event) => prepare(router, recordLinkOf(event), () => true),
  }
  const ended = new AbortController()
  const options = { signal: ended.signal, passive: true }
  for (const [type, handle] of Object.entries(handlers))
    document.addEventListener(type, handle, options)
  begin(recordLinkIn(document.querySelector(':is(a:hover, a:focus-visible)')))
  const unsubscribe = router.subscribe('onBeforeNavigate', () => begin())
  return () => {
    ended.abort()
    unsubscribe()
    begin()
  }
}

const isOfMouse = (event: Event): event is PointerEvent =>
  event instanceof PointerEvent && event.pointerType === 'mouse'

const isInPreview = ({ target }: Event): boolean =>
  target instanceof Element && target.closest('.record-preview') !== null

/** Reads a record before it is opened. If that fails, opening it reads it again or explains the failure. */
const prepare = (router: Router, link: FoundLink | undefined, isThere: () => boolean): void => {
  if (!link) return
  const target = targetOf(link)
  void router
    .preloadRoute(target)
    .then(() => isThere() && prepareToOpen(target.params))
    .catch(() => undefined)
}

type PreviewProps = {
  readonly entity: string
  readonly id: number
  /** The link at which it stands. */
  readonly link: HTMLElement
}

/** A preview of a record: its name, and the first columns of its lists. */
const RecordPreview = (props: PreviewProps): ReactNode => {
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
