/**
 * A link to a record. It has no state and no handlers, because lists have hundreds of them: `RecordLinks` watches all. And the
 * record that will probably be opened next.
 */
import { type ReactNode, useSyncExternalStore } from 'react'
import { urlOf } from '../../api/client.ts'

type LinkProps = {
  readonly entity: string
  readonly id: number
  readonly children: ReactNode
  /** Its name, if its content says nothing. */
  readonly label?: string
  readonly className?: string
  readonly tabIndex?: number
}

export const RecordLink = (props: LinkProps): ReactNode => {
  const { entity, id, children, label, className, tabIndex } = props
  return (
    <a
      href={urlOf(`/console/${entity}/${id}`)}
      data-record={`${entity}/${id}`}
      dir="auto"
      className={className}
      tabIndex={tabIndex}
      aria-label={label}
    >
      {children}
    </a>
  )
}

/** The link that contains the target of an event. */
export const recordLinkOf = ({ target }: Event) =>
  recordLinkIn(target instanceof Element ? target : null)

/** The link that contains an element, and the record that it leads to. */
export const recordLinkIn = (part: Element | null) => {
  const element = part?.closest<HTMLElement>('a[data-record]')
  if (!element) return undefined
  const [entity = '', id = ''] = element.getAttribute('data-record')?.split('/') ?? []
  return { element, entity, id }
}

export type FoundLink = NonNullable<ReturnType<typeof recordLinkOf>>

export const targetOf = ({ entity, id }: FoundLink) =>
  ({ to: '/$entity/$id', params: { entity, id } }) as const

type NextRecord = { readonly entity: string; readonly id: string }

let nextRecord: NextRecord | undefined
const listeners = new Set<() => void>()

/** Called as soon as a record that the user points at has been read, and without one when it has been opened. */
export const prepareToOpen = (next: NextRecord | undefined): void => {
  nextRecord = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The record that the user points at. */
export const useToBeOpened = (): NextRecord | undefined =>
  useSyncExternalStore(subscribe, () => nextRecord)
