/** A link to a record. It has no state and no handlers of its own, for lists have hundreds: `RecordLinks` watches them all. */
import type { ReactNode } from 'react'
import { urlOf } from '../../api/client.ts'

type LinkProps = {
  readonly entity: string
  readonly id: number
  readonly children: ReactNode
  /** What it is called, where its content says nothing. */
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

/** The link in which an event happened. */
export const recordLinkOf = ({ target }: Event) =>
  recordLinkIn(target instanceof Element ? target : null)

/** The link that holds an element, and the record that it leads to. */
export const recordLinkIn = (part: Element | null) => {
  const element = part?.closest<HTMLElement>('a[data-record]')
  if (!element) return undefined
  const [entity = '', id = ''] = element.getAttribute('data-record')?.split('/') ?? []
  return { element, entity, id }
}

export type FoundLink = NonNullable<ReturnType<typeof recordLinkOf>>

export const targetOf = ({ entity, id }: FoundLink) =>
  ({ to: '/$entity/$id', params: { entity, id } }) as const
